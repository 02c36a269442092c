import { describe, expect, it } from 'vitest';
import {
  type Attack,
  attacksOn,
  costOf,
  type Found,
  regularExpressions,
  textOf,
} from './support/regular-expressions.ts';

/** The maximum size of a request body. */
const MAX_BODY = 1024 * 1024;
/** Exponential backtracking is noticeable at this length, but still finishes. */
const TINY = 26;
/** Quadratic backtracking costs some hundred times as much as a linear match at this length. */
const SMALL = 1024;
/** Milliseconds. Shorter measurements are meaningless. */
const NOTICEABLE = 60;
/** For twice the text, a linear expression takes twice as long and a quadratic one four times. */
const MAX_GROWTH = 3.3;
/** The number of worst attacks that are measured in full. */
const SUSPECTS = 4;

/** Returns the most expensive attacks at a length where all of them can be tried. */
function worstAttacks({ expression, text }: Found): Attack[] {
  const measured: { attack: Attack; cost: number }[] = [];
  for (const attack of attacksOn(expression)) {
    expect(costOf(expression, textOf(attack, TINY)), `${text} on ${JSON.stringify(attack)}`).toBeLessThan(NOTICEABLE);
    measured.push({ attack, cost: costOf(expression, textOf(attack, SMALL)) });
  }
  return measured
    .sort((one, other) => other.cost - one.cost)
    .slice(0, SUSPECTS)
    .map(({ attack }) => attack);
}

/** Returns the length at which the cost of this attack grows faster than the text, or undefined if it never does. */
function breakingPoint({ expression }: Found, attack: Attack): number | undefined {
  let before = costOf(expression, textOf(attack, SMALL));
  for (let length = 2 * SMALL; length <= MAX_BODY; length *= 2) {
    const cost = costOf(expression, textOf(attack, length));
    if (cost > NOTICEABLE && cost > MAX_GROWTH * before) return length;
    before = cost;
  }
  return undefined;
}

describe('regular expressions', () => {
  const found = regularExpressions();

  it('include those of schemas', () => {
    const files = new Set(found.map(({ file }) => file));
    expect(files).toContain('src/entities.ts');
    expect(files).toContain('src/http/operations/pagination.ts');
    expect(found.length).toBeGreaterThan(100);
  });

  it.each(found)('$text in $file takes linear time for 1 MiB of its worst input', (one) => {
    for (const attack of worstAttacks(one)) {
      const length = breakingPoint(one, attack);
      expect(length, `slow on ${JSON.stringify(attack)}`).toBeUndefined();
    }
  });
});
