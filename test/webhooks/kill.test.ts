import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDatabase, type DatabaseKind } from '../support/databases.ts';
import { Ledger } from '../support/ledger.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { slow, WebhookReceiver } from '../support/webhook-receiver.ts';
import type { KillPoint } from './kill-points.ts';
import { until } from './poller-harness.ts';

const KILLS = Number(process.env.KILLS ?? 5);
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
/** The first run is the one that created the webhook, so it dies at any moment. */
const POINTS: (KillPoint | 'any moment')[] = [
  'any moment',
  'before-commit',
  'after-settle',
  'after-commit',
  'before-settle',
];
const WRITERS = 4;
/** Deliveries that one kill may repeat: eight in flight to the single webhook, and those not yet settled. */
const REPEATED_PER_KILL = 8 + 100;

/** Creates users one after another until the process is dead, and records acknowledged ones in the ledger. */
async function write(service: ServiceProcess, ledger: Ledger, name: () => string): Promise<void> {
  const api = await service.api();
  while (!service.isDead) {
    const username = name();
    const answer = await api.call('POST /users', { username }).catch(() => undefined);
    if (answer?.status === 200) ledger.add(username);
    else if (answer) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

/** The process dies at one of this many first statements of a kind, which a run reaches long before `LATE_MS`. */
const MAX_STATEMENTS = 30;
const LATE_MS = 90_000;
const MAX_MOMENT_MS = 800;

/**
 * Starts the service, unless it runs, and the writers, and returns when the process is dead. It must reach a named kill
 * point by itself.
 */
async function killedRun(
  service: ServiceProcess,
  run: { point: (typeof POINTS)[number]; after: number },
  work: () => Promise<void>,
) {
  const { point, after } = run;
  const isNamed = point !== 'any moment';
  if (service.isDead) await service.start(isNamed ? `${point}:${after}` : undefined);
  const working = Array.from({ length: WRITERS }, work);
  let isLate = false;
  const kill = setTimeout(
    () => {
      isLate = true;
      void service.kill();
    },
    isNamed ? LATE_MS : after,
  );
  await service.dead();
  clearTimeout(kill);
  await Promise.all(working);
  expect({ wasKilled: service.wasKilled, isLate: isNamed && isLate }, `${point}:${after}`).toEqual({
    wasKilled: true,
    isLate: false,
  });
}

it.each<[string, DatabaseKind, boolean]>([
  ['sqlite', 'sqlite', false],
  ['postgres', 'postgres', false],
  ['postgres with a second process', 'postgres', true],
])(
  'loses nothing it acknowledged when it is killed repeatedly (%s)',
  async (_, kind, hasSecond) => {
    console.log(`KILL_SEED=${SEED} KILLS=${KILLS}`);
    const random = seededRandom(SEED);
    await using database = await createDatabase(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: slow(2) });
    const ledger = new Ledger(join(database.dataDir, 'ledger'));
    await using service = await ServiceProcess.on(database);
    await using second = await ServiceProcess.on(database);
    let count = 0;
    const name = () => {
      count += 1;
      return `user${count}`;
    };

    await service.start(`migration:${1 + random(40)}`);
    await service.dead();
    await service.start();
    await (await service.api()).must('POST /hooks', {
      name: 'Kills',
      events: ['User.Created'],
      config: { url: receiver.url },
    });
    if (hasSecond) await second.start();

    for (let kill = 0; kill < KILLS; kill += 1) {
      const point = POINTS[kill % POINTS.length] as (typeof POINTS)[number];
      const run = { point, after: 1 + random(point === 'any moment' ? MAX_MOMENT_MS : MAX_STATEMENTS) };
      await killedRun(service, run, () => write(service, ledger, name));
    }
    await service.start();

    const acknowledged = ledger.entries();
    const usernameOf = (body: string): string => JSON.parse(body).data.username;
    const missing = async () => {
      const arrived = new Set(receiver.arrivals.map(({ body }) => usernameOf(body)));
      return acknowledged.filter((username) => !arrived.has(username));
    };
    await until(missing, (usernames) => usernames.length === 0, 20_000);

    const ids = new Map<string, Set<unknown>>();
    for (const { body, headers } of receiver.arrivals) {
      const username = usernameOf(body);
      ids.set(username, (ids.get(username) ?? new Set()).add(headers['webhook-id']));
    }
    const repeated = receiver.arrivals.length - ids.size;
    console.log(`${acknowledged.length} acknowledged, ${receiver.arrivals.length} arrived, ${repeated} repeated`);
    expect(acknowledged.length).toBeGreaterThan(KILLS);
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    expect(repeated).toBeLessThanOrEqual(KILLS * REPEATED_PER_KILL);
  },
  60_000 + KILLS * 20_000,
);
