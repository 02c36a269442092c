export type Contestants<Name extends string> = Record<Name, () => Promise<number>>;
export type Rounds<Name extends string> = {
  /** Every contestant's figure of every round, in the order they were run. */
  rounds: Record<Name, number[]>;
  medians: Record<Name, number>;
  /** The median over the rounds of one figure divided by another of the same round, when the machine was as busy. */
  ratio: (dividend: Name, divisor: Name) => number;
};

/**
 * Interleaved rounds: each runs every contestant once, each time starting with the next one, so that neither a busy
 * moment of the machine nor a fixed place in the order favours anybody. One more round before them warms up.
 *
 * @param contestants answer a rate: more is better
 * @param settle what is done after the warm-up
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

/** Four digits are more than a shared machine gives. */
const rounded = (figure: number) => Number(figure.toPrecision(4));
