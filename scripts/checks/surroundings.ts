import { statfs } from 'node:fs/promises';
import { HOUR_MS } from '../../src/base/times.ts';
import type { Config } from '../../src/config/index.ts';
import type { Database } from '../../src/database/database.ts';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { harden } from '../../src/script-runners/process/hardening.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const MIB = 1024 * 1024;
const LOW_SPACE = 1024 * MIB;
const TOO_LITTLE_SPACE = 128 * MIB;
/** The number of tenants whose endpoint is requested, oldest first. */
const MAX_ENDPOINTS = 20;
const TIMEOUT_MS = 5_000;
const OVERDUE_MS = HOUR_MS;

/** Network file systems by the type number of statfs(2). SQLite's locks and its memory map do not work on them. */
const REMOTE = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
]);

export async function diskFindings({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
  const { bavail, bsize, type } = await statfs(dataDir);
  const free = bavail * bsize;
  const text = `${Math.floor(free / MIB)} MiB free at ${dataDir}`;
  const findings =
    free < TOO_LITTLE_SPACE
      ? [fault('disk', text, 'Free some space: with a full disk every change fails.')]
      : free < LOW_SPACE
        ? [warning('disk', text, 'Free some space, or move DATA_DIR.')]
        : [ok('disk', text)];
  const remote = REMOTE.get(type);
  if (remote && !databaseUrl)
    findings.push(
      fault(
        'disk.filesystem',
        `DATA_DIR is on ${remote}, where SQLite's locks do not work.`,
        'Move it to a local disk, or use PostgreSQL.',
      ),
    );
  return findings;
}

/** Requests the discovery document from this host, as a client does. */
async function endpointFinding(endpoint: string, tenantId: string): Promise<Finding> {
  const check = `endpoint.${tenantId}`;
  const url = `${endpoint}/oidc/.well-known/openid-configuration`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
    if (!response.ok)
      return fault(
        check,
        `${url} responded ${response.status}.`,
        'If the service is running, check that the proxy forwards to it and passes the Host header on.',
      );
    const { issuer } = (await response.json()) as { issuer?: string };
    if (issuer === `${endpoint}/oidc`) return ok(check, `${endpoint} responds with the right issuer`);
    return fault(check, `${url} names the issuer ${issuer}.`, 'The proxy must pass the Host header on unchanged.');
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    return fault(
      check,
      `${endpoint} does not respond: ${cause?.message || message}.`,
      'If the service is running, check DNS, the certificate and the proxy. Clients get the same error.',
    );
  }
}

export async function endpointFindings({ endpoint }: Config, database: Database): Promise<Finding[]> {
  const tenants: { id: string; url: string }[] = await database
    .reader('tenants')
    .join('tenantEndpoints', 'tenants.id', 'tenantEndpoints.tenantId')
    .where({ position: 0, isSuspended: false })
    .orderBy('tenants.createdAt')
    .limit(MAX_ENDPOINTS)
    .select('tenants.id', 'tenantEndpoints.url');
  const findings = await Promise.all(tenants.map(({ id, url }) => endpointFinding(url, id)));
  const defaultTenant = tenants.find(({ id }) => id === 'default');
  if (defaultTenant && defaultTenant.url !== endpoint)
    findings.push(
      warning(
        'endpoint',
        `ENDPOINT is ${endpoint}, but the default tenant uses ${defaultTenant.url}.`,
        `Set ENDPOINT=${defaultTenant.url}, or move the tenant: npm run cli -- change-address --to ${endpoint}`,
      ),
    );
  return findings;
}

/** Starts one runner in the same way as the service. */
export async function sandboxFindings({ sandbox }: Config): Promise<Finding[]> {
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const { layers, missing, first } = await harden({ ...sandbox, fetch: undefined, logger: silent });
  await first.kill();
  const findings = [ok('sandbox', `script runners are confined by ${layers.join(', ')}`)];
  for (const [layer, reason] of Object.entries(missing))
    findings.push(
      warning(
        'sandbox',
        `The layer ${layer} is not available: ${reason}`,
        'sandbox/README.md explains what each layer needs. To make a layer mandatory, add it to SANDBOX_REQUIRE.',
      ),
    );
  return findings;
}

/** Reports webhooks whose URL this configuration refuses, that were disabled, or whose deliveries are late. */
export async function webhookFindings({ webhooks }: Config, database: Database): Promise<Finding[]> {
  const guard = new AddressGuard({ allowedNetworks: webhooks.allowedNetworks });
  const hooks: { id: string; enabled: boolean; disabledReason: string | null; config: { url: string } }[] =
    await database.reader('hooks').select('id', 'enabled', 'disabledReason', 'config');
  const findings = hooks.flatMap(({ id, enabled, disabledReason, config: { url } }) => {
    const refusal = enabled ? guard.checkUrl(url) : undefined;
    if (refusal)
      return [
        warning(
          'webhooks.address',
          `Webhook ${id}: ${refusal}`,
          'Change its URL, or add its network to WEBHOOK_ALLOWED_NETWORKS.',
        ),
      ];
    if (!enabled && disabledReason)
      return [
        warning(
          'webhooks.off',
          `Webhook ${id} was disabled: ${disabledReason}`,
          'Fix its endpoint, enable the webhook, and replay the missed events.',
        ),
      ];
    return [];
  });
  const overdue = { state: 'waiting' };
  const lateDelivery = await database
    .reader('deliveries')
    .where(overdue)
    .where('dueAt', '<', Date.now() - OVERDUE_MS)
    .first('id');
  if (lateDelivery)
    findings.push(
      warning(
        'webhooks.backlog',
        'Deliveries have been due for more than an hour.',
        'If the service is running, look for a slow endpoint in the webhook metrics, or raise WEBHOOK_CONCURRENCY.',
      ),
    );
  return findings.length > 0 ? findings : [ok('webhooks', `${hooks.length} webhooks, no late deliveries`)];
}
