import { setTimeout as pause } from 'node:timers/promises';
import '../../../src/observe/expected-warnings.ts';
import type { Contestant } from './contestant.ts';
import { contestants, type Name, type Places } from './contestants.ts';
import { instant } from './receiver.ts';

/** The calls of the parent. They run one after another. */
export interface Calls {
  /** Creates the contestant and its database. Resolves to the database's URL. */
  open(name: Name, places: Places): Promise<string | undefined>;
  fill(count: number): Promise<void>;
  start(): Promise<void>;
  /** Waits until every delivery is recorded as done. */
  finish(): Promise<void>;
  /** Sends messages at an interval. Resolves to the time of each commit. */
  pace(count: number, intervalMs: number): Promise<number[]>;
  close(): Promise<void>;
}

/** Longest time to record the last deliveries. */
const RECORD_MS = 5_000;

let contestant: Contestant;

const calls: Calls = {
  async open(name, places) {
    contestant = await contestants[name](places);
    return contestant.databaseUrl;
  },
  fill: (count) => contestant.fill(count),
  start: () => contestant.start(),
  async finish() {
    for (const deadline = Date.now() + RECORD_MS; (await contestant.unfinished()) > 0; await pause(10))
      if (Date.now() > deadline) throw new Error('Deliveries that arrived were not recorded');
  },
  async pace(count, intervalMs) {
    const sentAt: number[] = [];
    for (let n = 0; n < count; n += 1) {
      await contestant.send(n);
      sentAt[n] = instant();
      await pause(intervalMs);
    }
    return sentAt;
  },
  close: async () => contestant[Symbol.asyncDispose](),
};

process.on('message', async ({ name, args }: { name: keyof Calls; args: never[] }) => {
  try {
    const call: (...args: never[]) => Promise<unknown> = calls[name];
    process.send?.({ result: await call(...args) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
