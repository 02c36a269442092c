import { statfs } from 'node:fs/promises';
import type { Config } from '../../src/config/index.ts';
import type { Database } from '../../src/database/database.ts';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { harden } from '../../src/script-runners/process/hardening.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const MIB = 1024 * 1024;
const LITTLE_SPACE = 1024 * MIB;
const NO_SPACE = 128 * MIB;
/** Tenants that are asked, the oldest first. */
const MOST_ENDPOINTS = 20;
const PATIENCE_MS = 5_000;
const OVERDUE_MS = 60 * 60 * 1000;

/** File systems of other machines: SQLite's locks and its memory map do not hold there. Of statfs(2). */
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
    free < NO_SPACE
      ? [fault('disk', text, 'Make room: a full disk refuses every change.')]
      : free < LITTLE_SPACE
        ? [warning('disk', text, 'Make room, or move DATA_DIR.')]
        : [ok('disk', text)];
  const remote = REMOTE.get(type);
  if (remote && !databaseUrl)
    findings.push(
      fault(
        'disk.filesystem',
        `DATA_DIR is on ${remote}, where SQLite's locks do not hold.`,
        'Put it on a disk of this machine, or use PostgreSQL.',
      ),
    );
  return findings;
}

/** Asks as a client does, from this machine. */
async function endpointFinding(endpoint: string, tenantId: string): Promise<Finding> {
  const check = `endpoint.${tenantId}`;
  const url = `${endpoint}/oidc/.well-known/openid-configuration`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'manual' });
    if (!response.ok)
      return fault(
        check,
        `${url} answers ${response.status}.`,
        'If the service runs: look for a proxy that leads elsewhere, or does not pass the Host header on.',
      );
    const { issuer } = (await response.json()) as { issuer?: string };
    if (issuer === `${endpoint}/oidc`) return ok(check, `${endpoint} answers as itself`);
    return fault(check, `${url} says it is ${issuer}.`, 'The proxy must pass the Host header on as it came.');
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    return fault(
      check,
      `${endpoint} does not answer: ${cause?.message || message}.`,
      'If the service runs: check DNS, the certificate and the proxy, as clients meet the same.',
    );
  }
}

export async function endpointFindings({ endpoint }: Config, database: Database): Promise<Finding[]> {
  const tenants: { id: string; url: string }[] = await database
    .reader('tenants')
    .join('tenantEndpoints', 'tenants.id', 'tenantEndpoints.tenantId')
    .where({ position: 0, isSuspended: false })
    .orderBy('tenants.createdAt')
    .limit(MOST_ENDPOINTS)
    .select('tenants.id', 'tenantEndpoints.url');
  const findings = await Promise.all(tenants.map(({ id, url }) => endpointFinding(url, id)));
  const own = tenants.find(({ id }) => id === 'default');
  if (own && own.url !== endpoint)
    findings.push(
      warning(
        'endpoint',
        `ENDPOINT is ${endpoint}, but the first tenant was made for ${own.url}, which counts.`,
        `Set ENDPOINT to that, or move the tenant: npm run cli -- change-address --to ${endpoint}`,
      ),
    );
  return findings;
}

/** Starts one runner as the service does. */
export async function sandboxFindings({ sandbox }: Config): Promise<Finding[]> {
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const { layers, missing, first } = await harden({ ...sandbox, fetch: undefined, logger: silent });
  await first.kill();
  const findings = [ok('sandbox', `a script's process is confined by ${layers.join(', ')}`)];
  for (const [layer, reason] of Object.entries(missing))
    findings.push(
      warning(
        'sandbox',
        `The layer ${layer} is not there: ${reason}`,
        'See sandbox/README.md for what each layer needs; SANDBOX_REQUIRE makes one a condition.',
      ),
    );
  return findings;
}

/** Webhooks whose address this configuration refuses, that were turned off, or that are behind. */
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
          'Change its URL, or open WEBHOOK_ALLOWED_NETWORKS for it.',
        ),
      ];
    if (!enabled && disabledReason)
      return [
        warning(
          'webhooks.off',
          `Webhook ${id} was turned off: ${disabledReason}`,
          'Mend its receiver, turn it on, and replay what it missed.',
        ),
      ];
    return [];
  });
  const overdue = { state: 'waiting' };
  const late = await database
    .reader('deliveries')
    .where(overdue)
    .where('dueAt', '<', Date.now() - OVERDUE_MS)
    .first('id');
  if (late)
    findings.push(
      warning(
        'webhooks.backlog',
        'Deliveries have been due for more than an hour.',
        'If the service runs: see the webhook metrics for a receiver that is slow, and raise WEBHOOK_CONCURRENCY.',
      ),
    );
  return findings.length > 0 ? findings : [ok('webhooks', `${hooks.length} webhooks, none behind`)];
}
