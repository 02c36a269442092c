import { hashOf, newId } from '../../src/base/ids.ts';
import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { startPostgres } from '../support/postgres.ts';
import { measureEditor } from './console/editor.ts';
import { AUDIT_ROWS, DELIVERIES, fillTenant } from './console/fill.ts';
import { paletteP95 } from './console/palette.ts';
import { startUnderstudy } from './support/understudy.ts';

const ROUNDS = 7;
/** Requests per page and round, one after the other, as a single user opens them. */
const REQUESTS = 40;

/** Disabled, so that nothing is sent. Its pages show the same. */
const HOOK = {
  name: 'Busy',
  events: ['User.Created'],
  enabled: false,
  config: { url: 'https://receiver.example/hooks' },
};

const pagesOf = (hookId: string) => ({
  overview1h: '/overview?range=1h',
  overview24h: '/overview?range=24h',
  overview7d: '/overview?range=7d',
  deliveries: `/webhooks/${hookId}/deliveries`,
  deliveriesWaiting: `/webhooks/${hookId}/deliveries?state=waiting`,
  auditLog: '/settings/audit',
  auditLogRefused: '/settings/audit?result=Error',
});
type Page = keyof ReturnType<typeof pagesOf>;
const OVERVIEWS: readonly Page[] = ['overview1h', 'overview24h', 'overview7d'];
const DELIVERY_PAGES: readonly Page[] = ['deliveries', 'deliveriesWaiting'];

/**
 * Measures how long the console's pages take on PostgreSQL, to the last byte, in a tenant with 1,000,000 deliveries of
 * one webhook and 200,000 audit rows, and how long the command palette takes with 100,000 users. The baseline is `/readyz`,
 * the page of the same server that sends `select 1` to the same database. Then opens the script editor in a browser on a
 * slow connection.
 */
export async function bench() {
  await using postgres = await startPostgres({ durable: true });
  await using service = await startUnderstudy(postgres.url);
  const now = Date.now();
  const { id: hookId } = await service.api.must('POST /hooks', HOOK);
  await fillTenant(postgres.url, hookId, now);
  const pages = Object.entries(pagesOf(hookId)) as [Page, string][];
  const cookie = `console_session=${await openSession({ databaseUrl: postgres.url, dataDir: '' }, now)}`;

  const time = async (path: string): Promise<number> => {
    const startedAt = performance.now();
    const answer = await fetch(`${service.origin}${path}`, { headers: { cookie }, redirect: 'manual' });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return performance.now() - startedAt;
  };

  const taken = Object.fromEntries(pages.map(([name]) => [name, []])) as unknown as Record<Page, number[]>;
  const select1: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ofRound: { overview: number[]; select1: number[] } = { overview: [], select1: [] };
    for (let request = 0; request < REQUESTS; request += 1) {
      ofRound.select1.push(await time('/readyz'));
      for (const [name, path] of pages) {
        const ms = await time(`/console/default${path}`);
        if (round > 0) taken[name].push(ms);
        if (OVERVIEWS.includes(name)) ofRound.overview.push(ms);
      }
    }
    if (round === 0) continue; // Warm-up.
    select1.push(...ofRound.select1);
    ratios.push(quantile(ofRound.overview, 0.95) / quantile(ofRound.select1, 0.95));
    console.log(`round ${round}  overview p95: ${quantile(ofRound.overview, 0.95).toFixed(1)} ms`);
  }

  const p95 = Object.fromEntries(
    Object.entries(taken).map(([name, figures]) => [name, rounded(quantile(figures, 0.95))]),
  );
  const p50 = Object.fromEntries(
    Object.entries(taken).map(([name, figures]) => [name, rounded(quantile(figures, 0.5))]),
  );
  const palette = await paletteOnBoth();
  const slowest = (names: readonly Page[]) => Math.max(...names.map((name) => p95[name] as number));
  const editor = await measureEditor(service.origin, cookie);
  return {
    ...editor,
    overviewP95Ms: slowest(OVERVIEWS),
    deliveriesPageP95Ms: slowest(DELIVERY_PAGES),
    /** With 100,000 users, on the slower of the databases. */
    paletteP95Ms: Math.max(palette.sqlite, palette.postgres),
    palette,
    /** Returns the ratio of the two times. */
    ratios: { overviewVsSelect1Page: rounded(quantile(ratios, 0.5)) },
    p50Ms: { ...p50, select1: rounded(quantile(select1, 0.5)) },
    p95Ms: { ...p95, select1: rounded(quantile(select1, 0.95)) },
    deliveries: DELIVERIES,
    auditRows: AUDIT_ROWS,
  };
}

async function paletteOnBoth() {
  await using postgres = await startPostgres({ durable: true });
  const tools = { openSession, quantile };
  return {
    sqlite: rounded(await paletteP95(undefined, tools)),
    postgres: rounded(await paletteP95(postgres.url, tools)),
  };
}

/** Opens a session in the same way as the console does for an administrator. */
async function openSession(where: { databaseUrl: string | undefined; dataDir: string }, now: number): Promise<string> {
  const database = connect({ ...where, poolSize: 1 });
  const store = new TenantStore(database, 'default');
  const [token, userId] = [newId(), newId()];
  await store.insert('users', {
    id: userId,
    username: 'administrator',
    customData: {},
    profile: {},
    isSuspended: false,
    createdAt: now,
    updatedAt: now,
  });
  await store.insert('administrators', { userId, managedTenantId: 'default', createdAt: now });
  await store.insert('consoleSessions', { id: hashOf(token), userId, createdAt: now, expiresAt: now + 3_600_000 });
  await database.close();
  return token;
}

const quantile = (figures: readonly number[], share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.ceil(figures.length * share) - 1] ?? Number.NaN;

const rounded = (figure: number) => Number(figure.toPrecision(3));
