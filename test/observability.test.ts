import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { postForm } from './support/call.ts';
import { castOf } from './support/cast.ts';
import { databases } from './support/databases.ts';
import { freePort } from './support/free-port.ts';
import { startService } from './support/start-service.ts';
import { WebhookReceiver } from './support/webhook-receiver.ts';

const examples = join(import.meta.dirname, '../examples/observability');

/** Parses text in the Prometheus format: every metric, with the labels of its samples. */
function metricsOf(text: string): Map<string, Set<string>> {
  const metrics = new Map([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => [name, new Set<string>()]));
  for (const [, sample = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g))
      (metrics.get(sample) ?? metrics.get(baseOf(sample)))?.add(label);
  return metrics;
}

const baseOf = (series: string) => series.replace(/_(bucket|sum|count)$/, '');

describe.each(databases)('observability on %s', (kind) => {
  it('exposes every metric that the dashboard and the alerts use', async () => {
    const port = await freePort();
    await using service = await startService(kind, { METRICS_PORT: String(port), RATE_LIMIT_TOKEN: '9' });
    await using receiver = await WebhookReceiver.start();
    const config = { url: receiver.url };
    await service.api.must('POST /hooks', { name: 'Mine', events: ['PostSignIn'], config });
    const { alice, spa, mint } = castOf(service);

    const actor_token = await spa.signIn(alice);
    await receiver.next('PostSignIn');
    await expect(spa.signIn({ ...alice, password: 'not hers' })).rejects.toThrow('did not end');
    const subject_token = await mint();
    service.time.startMinute();
    expect((await spa.exchange({ subject_token, actor_token })).status).toBe(200);
    expect((await spa.exchange({ subject_token, actor_token })).status).toBe(400);
    const unknownClient = { grant_type: 'urn:made:up', client_id: 'unknownClient' };
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => postForm(`${service.url}/oidc/token`, unknownClient)),
    );
    expect(answers.map(({ status }) => status)).toContain(429);

    const text = await (await fetch(`http://localhost:${port}/metrics`)).text();
    const expected = [
      'understudy_tokens_total{grant="token_exchange",outcome="issued"} 1',
      'understudy_tokens_total{grant="token_exchange",outcome="invalid_request"} 1',
      'understudy_tokens_total{grant="other",outcome="invalid_client"} 8',
      'understudy_token_seconds_count{grant="token_exchange"} 1',
      'understudy_script_runs_total{result="ok"} 1',
      'understudy_script_run_seconds_count 1',
      'understudy_script_wait_seconds_count 1',
      'understudy_script_runners{lane="shared"} 2',
      'understudy_script_quarantined{what="scripts"} 0',
      'understudy_sign_in_outcomes_total{event="SignIn",outcome="completed"} 1',
      'understudy_rate_limited_total{limit="token"} 1',
      'understudy_http_requests_worked_on 0',
    ];
    expect(expected.filter((line) => !text.includes(`\n${line}\n`))).toEqual([]);
    expect(text).toMatch(
      /^understudy_sign_in_outcomes_total\{event="SignIn",outcome="session.invalid_credentials"\} \d/m,
    );
    expect(text).toMatch(/^understudy_database_transaction_seconds_count\{kind="transaction"\} [1-9]/m);
    expect(text).toMatch(/^understudy_database_wait_seconds_count [1-9]/m);
    expect(text).toMatch(/^understudy_event_loop_utilization (0\.\d|1$)/m);
    expect(text).toMatch(/^understudy_database_waiting \d/m);
    if (kind === 'sqlite') expect(text).toMatch(/^understudy_database_commit_transactions_count [1-9]/m);

    const metrics = metricsOf(text);
    const ofScrape = ['instance', 'job', 'le'];
    for (const file of ['dashboard.json', 'alerts.yaml']) {
      const source = await readFile(join(examples, file), 'utf8');
      const named = source.match(/\b(understudy|nodejs|process)_\w+/g) ?? [];
      const unknown = named.filter((series) => !metrics.has(series) && !metrics.has(baseOf(series)));
      expect(unknown).toEqual([]);
      for (const [, series = '', matchers = ''] of source.matchAll(/\b(understudy_\w+)\{(.*?)\}/g)) {
        const labels = metrics.get(series) ?? metrics.get(baseOf(series)) ?? new Set();
        if (labels.size === 0) continue; // It has no sample yet.
        for (const [, label = ''] of matchers.matchAll(/(\w+)(?:=|!)/g))
          expect([...labels, ...ofScrape], `${series} of ${file}`).toContain(label);
      }
    }
  });
});
