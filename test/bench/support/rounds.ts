/** CPU microseconds of one operation. */
export interface Micros {
  /** CPU time of the service and its sandbox runners. */
  service: number;
  /** CPU time of PostgreSQL. */
  database: number;
}

export interface Figure {
  perSecond: number;
  micros?: Micros;
}

/** A contestant that does not measure its CPU time returns a rate only. */
export type Contestants<Name extends string> = Record<Name, () => Promise<number | Figure>>;
export type Rounds<Name extends string> = {
  /** The figures of every contestant per round, in the order in which they ran. */
  rounds: Record<Name, number[]>;
  medians: Record<Name, number>;
  /**
   * Returns the median over the rounds of the ratio of two figures of the same round, because the host was equally busy
   * for both.
   */
  ratio: (dividend: Name, divisor: Name) => number;
  /** Median CPU time of the contestants that measure it. */
  micros: Partial<Record<Name, Micros>>;
  /** Like `ratio`, of the CPU time of one operation in all processes. */
  cpuRatio: (dividend: Name, divisor: Name) => number;
};

/**
 * Runs interleaved rounds. Each round runs every contestant once and starts with the next one, so that neither a busy
 * moment of the host nor a fixed place in the order favors one of them. One more round before them is the warm-up.
 *
 * @param count `BENCH_ROUNDS` replaces it, for a shorter run
 * @param contestants return a rate: more is better
 * @param settle runs after the warm-up
 */
export async function playRounds<Name extends string>(
  count: number,
  contestants: Contestants<Name>,
  settle?: () => Promise<void>,
): Promise<Rounds<Name>> {
  const names = Object.keys(contestants) as Name[];
  const each = <T>(of: (name: Name) => T) =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, T>;
  const figures = each((): Figure[] => []);

  for (let round = 0; round <= Number(process.env.BENCH_ROUNDS ?? count); round += 1) {
    const start = round % names.length;
    for (const name of [...names.slice(start), ...names.slice(0, start)]) {
      const result = await contestants[name]();
      const figure = typeof result === 'number' ? { perSecond: result } : result;
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}  ${name}: ${textOf(figure)}`);
      if (round > 0) figures[name].push(figure);
    }
    if (round === 0) await settle?.();
  }

  const ratioOf = (of: (figure: Figure) => number) => (dividend: Name, divisor: Name) =>
    rounded(median(figures[dividend].map((figure, index) => of(figure) / of(figures[divisor][index] as Figure))));
  const costed = names.filter((name) => figures[name].some(({ micros }) => micros));
  const microsOf = (name: Name): Micros => ({
    service: rounded(median(figures[name].map(({ micros }) => micros?.service ?? Number.NaN))),
    database: rounded(median(figures[name].map(({ micros }) => micros?.database ?? Number.NaN))),
  });
  return {
    rounds: each((name) => figures[name].map(({ perSecond }) => rounded(perSecond))),
    medians: each((name) => rounded(median(figures[name].map(({ perSecond }) => perSecond)))),
    ratio: ratioOf(({ perSecond }) => perSecond),
    micros: Object.fromEntries(costed.map((name) => [name, microsOf(name)])) as Partial<Record<Name, Micros>>,
    cpuRatio: ratioOf(({ micros }) => (micros ? micros.service + micros.database : Number.NaN)),
  };
}

function textOf({ perSecond, micros }: Figure): string {
  const costs = micros ? `, CPU ${rounded(micros.service)} + ${rounded(micros.database)} µs` : '';
  return `${rounded(perSecond)}/s${costs}`;
}

export function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** Rounds to four digits: a shared host is not more precise. */
export const rounded = (figure: number) => Number(figure.toPrecision(4));
