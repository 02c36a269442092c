export type Contestants<Name extends string> = Record<Name, () => Promise<number>>;
export type Rounds<Name extends string> = {
  /** The figures of every contestant per round, in the order in which they ran. */
  rounds: Record<Name, number[]>;
  medians: Record<Name, number>;
  /**
   * Returns the median over the rounds of the ratio of two figures of the same round, because the host was equally busy
   * for both.
   */
  ratio: (dividend: Name, divisor: Name) => number;
};

/**
 * Runs interleaved rounds. Each round runs every contestant once and starts with the next one, so that neither a busy
 * moment of the host nor a fixed place in the order favors one of them. One more round before them is the warm-up.
 *
 * @param contestants return a rate: more is better
 * @param settle runs after the warm-up
 */
export async function playRounds<Name extends string>(
  count: number,
  contestants: Contestants<Name>,
  settle?: () => Promise<void>,
): Promise<Rounds<Name>> {
  const names = Object.keys(contestants) as Name[];
  const rounds = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;

  for (let round = 0; round <= count; round += 1) {
    const start = round % names.length;
    for (const name of [...names.slice(start), ...names.slice(0, start)]) {
      const rate = await contestants[name]();
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}  ${name}: ${rounded(rate)}/s`);
      if (round > 0) rounds[name].push(rounded(rate));
    }
    if (round === 0) await settle?.();
  }

  const medians = Object.fromEntries(names.map((name) => [name, median(rounds[name])])) as Record<Name, number>;
  const ratio = (dividend: Name, divisor: Name) =>
    rounded(median(rounds[dividend].map((figure, index) => figure / (rounds[divisor][index] ?? Number.NaN))));
  return { rounds, medians, ratio };
}

function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** Rounds to four digits: a shared host is not more precise. */
const rounded = (figure: number) => Number(figure.toPrecision(4));
