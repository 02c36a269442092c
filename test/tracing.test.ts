import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config/index.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../src/tokens/urns.ts';
import { spawnServer } from './bench/support/spawn-server.ts';
import { ManagementClient, postForm } from './support/call.ts';
import { createDatabase, type DatabaseKind, databases } from './support/databases.ts';
import { TraceReceiver } from './support/trace-receiver.ts';
import { WebhookReceiver } from './support/webhook-receiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const CALLER = { traceparent: `00-${TRACE}-${PARENT}-01` };

/** Starts a separate process, because OpenTelemetry reads the environment of its process. */
async function startTraced(kind: DatabaseKind, env: Record<string, string>) {
  const database = await createDatabase(kind);
  const server = await spawnServer('src/main.ts', {
    DATA_DIR: database.dataDir,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    SANDBOX_RUNNERS: '1',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    ...env,
  });
  const credentials = JSON.parse(await readFile(join(database.dataDir, 'credentials.json'), 'utf8'));
  const api = new ManagementClient(server.origin, credentials.managementApiIndicator, credentials.machine);
  const { demo } = credentials;

  /** @returns the secrets that were sent and received */
  async function exchange(headers: Record<string, string>): Promise<string[]> {
    const { subjectToken } = await api.must('POST /subject-tokens', { userId: demo.subject.id });
    const form = {
      grant_type: TOKEN_EXCHANGE,
      client_id: demo.clientId,
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN,
      resource: demo.resource,
      scope: demo.scope,
    };
    const { status, body } = await postForm(`${server.origin}/oidc/token`, form, headers);
    expect(status).toBe(200);
    return [subjectToken, body.access_token, await api.token(), credentials.machine.clientSecret];
  }
  return {
    api,
    exchange,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe.each(databases)('traces on %s', (kind) => {
  it('connect a trusted caller with the exchange, its script and its transaction', async () => {
    await using traces = await TraceReceiver.start();
    await using hook = await WebhookReceiver.start();
    await using service = await startTraced(kind, {
      TRUST_PROXY: 'loopback',
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'staging',
    });
    await service.api.must('POST /hooks', { name: 'Mine', events: ['Role.Created'], config: { url: hook.url } });
    const secrets = await service.exchange(CALLER);
    await service.api.must('POST /roles', { name: 'Told', description: 'Told' });
    const delivery = await hook.next('Role.Created');

    const find = (name: string, parentSpanId?: string) =>
      traces.spans.find((span) => span.name === name && (!parentSpanId || span.parentSpanId === parentSpanId));
    await expect.poll(() => find('webhook attempt')).toBeDefined();
    await expect.poll(() => find('POST token', PARENT)).toBeDefined();
    const request = find('POST token', PARENT);
    expect(request).toMatchObject({ traceId: TRACE, attributes: { 'http.response.status_code': 200 } });
    const exchange = find('token exchange', request?.spanId);
    expect(exchange?.traceId).toBe(TRACE);
    expect(find('script run', exchange?.spanId)?.attributes).toMatchObject({ 'understudy.script.result': 'ok' });
    const system = kind === 'sqlite' ? 'sqlite' : 'postgresql';
    const written = traces.spans.find(
      ({ name, parentSpanId }) => name.startsWith('database ') && parentSpanId === exchange?.spanId,
    );
    expect(written?.attributes).toMatchObject({ 'db.system.name': system });

    const attempt = find('webhook attempt');
    expect(attempt).toMatchObject({ parentSpanId: undefined, attributes: { 'http.response.status_code': 200 } });
    expect(delivery.headers.traceparent).toBe(`00-${attempt?.traceId}-${attempt?.spanId}-01`);
    expect([...traces.services]).toEqual(['staging']);
    const all = traces.bodies.map(({ text }) => text).join('');
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  });
});

it('use protobuf by default, and ignore the trace of an untrusted caller', async () => {
  await using traces = await TraceReceiver.start();
  await using service = await startTraced('sqlite', { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url });
  await service.exchange(CALLER);
  const sent = () => traces.bodies.map(({ text }) => text).join('');
  await expect.poll(sent).toContain('token exchange');
  expect(new Set(traces.bodies.map(({ contentType }) => contentType))).toEqual(new Set(['application/x-protobuf']));
  expect(sent()).not.toContain(Buffer.from(TRACE, 'hex').toString('latin1'));
});

it('are off, with nothing loaded, unless an endpoint is configured', async () => {
  const forbid = `--import=${join(import.meta.dirname, 'support/no-tracing.ts')}`;
  await using service = await startTraced('sqlite', { NODE_OPTIONS: forbid });
  await service.exchange(CALLER);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
  const tracing = (env: Record<string, string>) => readConfig({ ...endpoint, ...env }).tracing;
  expect(tracing({ OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(tracing({ OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  expect(tracing({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' })).toMatchObject({
    protocol: 'http/protobuf',
    sampler: 'traceidratio',
    samplerRatio: 0.25,
  });
  expect(() => tracing({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(ConfigError);
  expect(() => tracing({ OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(ConfigError);
});
