import { describe, expect, it, vi } from 'vitest';
import { hashOf } from '../../src/base/ids.ts';
import { StateMachine } from '../../src/base/state.ts';
import { connect } from '../../src/database/connect.ts';
import { WRITE_QUEUE_TRANSITIONS, type WriteQueueState } from '../../src/database/store/write-queue.ts';
import { Tenants } from '../../src/tenants.ts';
import { type PendingSpend, spendQueue } from '../../src/tokens/exchange/spend-queue.ts';
import { mintSubjectToken } from '../../src/tokens/exchange/subject-tokens.ts';
import { createMigrated, type DatabaseKind, databases } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';

const NOW = 1_700_000_000_000;

/** Creates a spend queue on a database with this many subject tokens. */
async function createQueue(kind: DatabaseKind, tokens: number) {
  const place = await createMigrated(kind);
  const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 2 };
  const database = connect(settings);
  await addTenant(database, 'acme');
  const tenant = await new Tenants(database, () => NOW).byId('acme');
  if (!tenant) throw new Error('the tenant is missing');
  const { store } = tenant;
  const times = { createdAt: NOW, updatedAt: NOW };
  await store.add('users', [{ id: 'subject', customData: {}, profile: {}, isSuspended: false, ...times }]);
  const metadata = { oidcClientMetadata: { redirectUris: [], postLogoutRedirectUris: [] }, customClientMetadata: {} };
  await store.add('applications', [
    { id: 'desk', name: 'Desk', type: 'SPA', ...metadata, customData: {}, isThirdParty: false, createdAt: NOW },
  ]);

  const spends: PendingSpend[] = [];
  for (let index = 0; index < tokens; index++) {
    const { subjectToken } = await mintSubjectToken(store, { userId: 'subject', creatorId: 'backend' }, NOW);
    const tokenHash = hashOf(subjectToken);
    const row = await store.from('subjectTokens').where({ tokenHash }).first();
    spends.push({
      tokenHash,
      actorApplicationId: null,
      requestId: undefined,
      secretName: undefined,
      impersonation: impersonationOf(row?.id ?? '', `jti-${index}`),
    });
  }
  return {
    queue: spendQueue(store, () => NOW),
    spends,
    /** Each call is a transaction. */
    writes: vi.spyOn(store, 'write'),
    async [Symbol.asyncDispose]() {
      await database.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

const impersonationOf = (subjectTokenId: string, id: string): PendingSpend['impersonation'] => ({
  id,
  subjectTokenId,
  subjectId: 'subject',
  actorId: null,
  applicationId: 'desk',
  resource: 'https://orders.example.com',
  organizationId: null,
  scope: '',
  context: {},
  ip: null,
  userAgent: null,
  issuedAt: NOW,
  expiresAt: NOW + 3_600_000,
});

const STATES = Object.keys(WRITE_QUEUE_TRANSITIONS) as WriteQueueState[];

it.each(STATES.flatMap((from) => STATES.map((to) => [from, to] as const)))(
  'the write queue goes from %s to %s only if its table says so',
  (from, to) => {
    const state = new StateMachine('write queue', WRITE_QUEUE_TRANSITIONS, from);
    if (WRITE_QUEUE_TRANSITIONS[from].includes(to)) {
      state.enter(to);
      expect(state.current).toBe(to);
    } else {
      expect(() => state.enter(to)).toThrow(`write queue: ${from} → ${to} is not a transition`);
      expect(state.current).toBe(from);
    }
  },
);

describe.each(databases)('the spend queue on %s', (kind) => {
  it('spends tokens that are ready at the same time in one transaction', async () => {
    await using place = await createQueue(kind, 16);
    const { queue, spends, writes } = place;
    const results = await Promise.all(spends.map((pending) => queue.run((spend) => spend(pending))));
    expect(results).toEqual(Array(16).fill(true));
    expect(writes).toHaveBeenCalledTimes(1);
  });

  it('starts no second transaction when its timer ends as the first one starts', async () => {
    await using place = await createQueue(kind, 3);
    const { queue, spends, writes } = place;
    const ready = spends.map(() => Promise.withResolvers<void>());
    const exchanges = spends.map((pending, index) =>
      queue.run(async (spend) => {
        await ready[index]?.promise;
        return spend(pending);
      }),
    );
    setImmediate(async () => {
      ready[0]?.resolve();
      for (let i = 0; i < 20; i++) await undefined; // The queue is gathering now. Its timer cannot fire before this turn ends.
      for (const end = performance.now() + 5; performance.now() < end; );
      ready[1]?.resolve();
      ready[2]?.resolve();
    });
    expect(await Promise.all(exchanges)).toEqual([true, true, true]);
    expect(writes).toHaveBeenCalledTimes(1);
  });

  it('starts at once for a single exchange, and is idle after its transaction', async () => {
    await using place = await createQueue(kind, 1);
    const { queue, spends, writes } = place;
    const [pending] = spends as [PendingSpend];
    expect(queue.state).toBe('idle');
    const isSpent = queue.run((spend) => spend(pending));
    expect(queue.state).toBe('starting');
    await expect.poll(() => writes.mock.calls.length, { interval: 0 }).toBe(1);
    expect(await isSpent).toBe(true);
    await expect.poll(() => queue.state).toBe('idle');
  });

  it('gathers while other exchanges are in progress', async () => {
    await using place = await createQueue(kind, 1);
    const { queue, spends, writes } = place;
    const [pending] = spends as [PendingSpend];
    void queue.run(() => new Promise(() => {}));
    const isSpent = queue.run((spend) => spend(pending));
    expect([queue.state, writes.mock.calls.length]).toEqual(['gathering', 0]);
    expect(await isSpent).toBe(true);
    await expect.poll(() => queue.state).toBe('idle');
  });

  it('waits only briefly for exchanges that are not ready', async () => {
    await using place = await createQueue(kind, 2);
    const { queue, spends } = place;
    for (let i = 0; i < 5; i++) void queue.run(() => new Promise(() => {}));
    for (const pending of spends) expect(await queue.run((spend) => spend(pending))).toBe(true);
  });

  it('spends a token for only one of several exchanges that sent it', async () => {
    await using place = await createQueue(kind, 1);
    const { queue, spends } = place;
    const [spend] = spends as [PendingSpend];
    const rivals = Array.from({ length: 4 }, (_, index) => ({
      ...spend,
      impersonation: { ...spend.impersonation, id: `rival-${index}` },
    }));
    const results = await Promise.all(rivals.map((rival) => queue.run((spend) => spend(rival))));
    expect(results.filter(Boolean)).toHaveLength(1);
  });
});
