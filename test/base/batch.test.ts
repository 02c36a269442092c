import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Batch, type BatchOptions } from '../../src/base/batch.ts';

/** Longer than any test: what happens earlier does not happen because of the time. */
const NEVER_MS = 60_000;

/** A batch of numbers whose writes are recorded, and fail while `fails` returns true. */
function gather(options: Partial<BatchOptions<number>>, fails: (entries: number[]) => boolean = () => false) {
  const writes: number[][] = [];
  const written: number[] = [];
  const reports: [message: string, entries: number][] = [];
  const batch = new Batch<number>({
    maxWaitMs: NEVER_MS,
    maxEntries: 100,
    onFailure: 'drop',
    onError: (error, entries) => reports.push([(error as Error).message, entries]),
    write: async (entries) => {
      writes.push([...entries]);
      await pause(1);
      if (fails(entries)) throw new Error('refused');
      written.push(...entries);
    },
    ...options,
  } as BatchOptions<number>);
  const add = (...entries: number[]) => {
    for (const entry of entries) batch.add(entry);
  };
  return { batch, add, writes, written, reports };
}

/** A write that lasts until `finish` is called. */
function slowWrite() {
  const writes: number[][] = [];
  const ends: (() => void)[] = [];
  const write = (entries: number[]) => {
    writes.push(entries);
    return new Promise<void>((end) => ends.push(end));
  };
  return { write, writes, finish: () => ends.shift()?.() };
}

describe('a batch', () => {
  it('writes its entries together, in order, when the first has waited long enough', async () => {
    const { add, writes } = gather({ maxWaitMs: 5 });
    add(1, 2, 3);
    expect(writes).toEqual([]);
    await vi.waitFor(() => expect(writes).toEqual([[1, 2, 3]]));
    add(4);
    await vi.waitFor(() => expect(writes).toEqual([[1, 2, 3], [4]]));
  });

  it('is written at once when it is full', async () => {
    const { batch, add, writes } = gather({ fullAt: 2 });
    add(1);
    expect(writes).toEqual([]);
    add(2);
    expect(writes).toEqual([[1, 2]]);
    await batch.close();
  });

  it('fills while another is written, and has at most `maxEntries`', async () => {
    const { write, writes, finish } = slowWrite();
    const { batch, add } = gather({ write, fullAt: 2, maxEntries: 3 });
    add(1, 2, 3, 4, 5, 6);
    expect(writes).toEqual([[1, 2]]);
    finish();
    await vi.waitFor(() =>
      expect(writes).toEqual([
        [1, 2],
        [3, 4, 5],
      ]),
    ); // Four waited, which is more than `fullAt`.
    finish();
    await pause(10);
    expect(writes).toHaveLength(2);
    const flushed = batch.flush();
    expect(writes.at(-1)).toEqual([6]);
    finish();
    await flushed;
  });

  it('waits again for entries that were added during a write', async () => {
    const { write, writes, finish } = slowWrite();
    const { add } = gather({ write, maxWaitMs: 5 });
    add(1);
    await vi.waitFor(() => expect(writes).toEqual([[1]]));
    add(2);
    finish();
    add(3);
    await vi.waitFor(() => expect(writes).toEqual([[1], [2, 3]]));
    finish();
  });

  it('is flushed when every entry added so far is written, and no later one', async () => {
    const { write, writes, finish } = slowWrite();
    const { batch, add } = gather({ write, maxEntries: 2 });
    add(1, 2, 3, 4, 5);
    let isFlushed = false;
    const flushed = Promise.all([batch.flush(), batch.flush()]).then(() => {
      isFlushed = true;
    });
    finish();
    await vi.waitFor(() => expect(writes).toHaveLength(2));
    finish();
    await vi.waitFor(() => expect(writes).toEqual([[1, 2], [3, 4], [5]]));
    add(6, 7);
    await pause(5);
    expect(isFlushed).toBe(false);
    finish();
    await flushed;
    expect(writes).toHaveLength(3);
    const rest = batch.flush();
    finish();
    await rest;
    expect(writes.at(-1)).toEqual([6, 7]);
  });

  it('is closed when the write in progress and all entries that wait are written', async () => {
    const { write, writes, finish } = slowWrite();
    const { batch, add } = gather({ write, fullAt: 1 });
    add(1);
    let isClosed = false;
    const closed = batch.close().then(() => {
      isClosed = true;
    });
    add(2);
    finish();
    await closed;
    expect([isClosed, writes]).toEqual([true, [[1]]]);
    const again = batch.close();
    finish();
    await again;
    expect(writes).toEqual([[1], [2]]);
    await batch.close(); // Nothing is left to write.
  });

  it('is behind from `maxUnwritten` on, and accepts more', async () => {
    const { batch, add, written } = gather({ maxUnwritten: 2 });
    add(1);
    expect(batch.isBehind).toBe(false);
    add(2);
    expect(batch.isBehind).toBe(true);
    add(3);
    await batch.flush();
    expect([batch.isBehind, written]).toEqual([false, [1, 2, 3]]);
  });

  it('can drop entries while it is behind, counting those of the write in progress', async () => {
    const { batch, add, written } = gather({ maxUnwritten: 2, dropsOverflow: true });
    add(1, 2, 3);
    const flushed = batch.flush();
    add(4);
    await flushed;
    add(5);
    await batch.flush();
    expect(written).toEqual([1, 2, 5]);
  });
});

describe('a batch whose write fails', () => {
  it('can drop the entries', async () => {
    const { batch, add, written, reports } = gather({ maxEntries: 2 }, (entries) => entries.includes(1));
    add(1, 2, 3);
    await batch.flush();
    expect([written, reports]).toEqual([[3], [['refused', 2]]]);
    expect(batch.isBehind).toBe(false);
  });

  it('can drop only the entries that cannot be written', async () => {
    const bad = new Set([3, 8]);
    const { batch, add, written, reports } = gather(
      { onFailure: 'split', isOutage: () => false, maxUnwritten: 1 },
      (entries) => entries.some((entry) => bad.has(entry)),
    );
    add(1, 2, 3, 4, 5, 6, 7, 8, 9);
    await batch.flush();
    expect(written).toEqual([1, 2, 4, 5, 6, 7, 9]);
    expect(reports).toEqual([
      ['refused', 1],
      ['refused', 1],
    ]);
    expect(batch.isBehind).toBe(false);
  });

  it('does not try each entry of an outage', async () => {
    const { batch, add, writes, reports } = gather({ onFailure: 'split', isOutage: () => true }, () => true);
    add(1, 2, 3, 4);
    await batch.flush();
    expect([writes, reports]).toEqual([[[1, 2, 3, 4]], [['refused', 4]]]);
  });

  it('can keep the entries, and writes them before newer ones', async () => {
    let isGone = true;
    const { batch, add, writes, written, reports } = gather({ onFailure: 'keep', retryMs: 5 }, () => isGone);
    add(1, 2);
    const flushed = batch.flush();
    add(3);
    await flushed;
    expect(reports).toEqual([['refused', 2]]);
    isGone = false;
    await vi.waitFor(() => expect(written).toEqual([1, 2, 3]));
    expect(writes).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
  });

  it('tries kept entries once more when it is closed, and then no more', async () => {
    const { batch, add, writes, written } = gather({ onFailure: 'keep', retryMs: 5, fullAt: 2 }, () => true);
    add(1, 2);
    await batch.close();
    await pause(20);
    expect([writes, written]).toEqual([
      [
        [1, 2],
        [1, 2],
      ],
      [],
    ]);
  });

  it('goes on after a report that fails', async () => {
    const { batch, add, written } = gather(
      {
        maxEntries: 1,
        maxUnwritten: 1,
        onError: () => {
          throw new Error('the log is closed');
        },
      },
      (entries) => entries.includes(1),
    );
    add(1, 2);
    await batch.flush();
    expect([batch.isBehind, written]).toEqual([false, [2]]);
  });
});
