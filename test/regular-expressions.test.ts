import { describe, expect, it } from 'vitest';
import {
  type Attack,
  attacksOn,
  costOf,
  type Found,
  regularExpressions,
  textOf,
} from './support/regular-expressions.ts';

/** The most that a body holds. */
const LARGEST = 1024 * 1024;
/** An expression that tries exponentially many ways shows at this length, and can still be waited for. */
const TINY = 26;
/** One that tries quadratically many costs some hundred times as much here as one that is linear. */
const SMALL = 1024;
/** Milliseconds. Below, a measurement says nothing. */
const NOTICEABLE = 60;
/** A linear expression takes twice as long for twice the text, a quadratic one four times. */
const MOST_GROWTH = 3.3;
/** What looks worst is measured in full. */
const SUSPECTS = 4;

/** The attacks that cost most at a length where all can be tried. */
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

/** The length at which the cost of this attack grows faster than the text; undefined when it never does. */
function breakingPoint({ expression }: Found, attack: Attack): number | undefined {
  let before = costOf(expression, textOf(attack, SMALL));
  for (let length = 2 * SMALL; length <= LARGEST; length *= 2) {
    const cost = costOf(expression, textOf(attack, length));
    if (cost > NOTICEABLE && cost > MOST_GROWTH * before) return length;
    before = cost;
  }
  return undefined;
}

describe('regular expressions', () => {
  const found = regularExpressions();

  it('are all found, those of schemas too', () => {
    const files = new Set(found.map(({ file }) => file));
    expect(files).toContain('src/entities.ts');
    expect(files).toContain('src/http/operations/pagination.ts');
    expect(found.length).toBeGreaterThan(100);
  });

  it.each(found)('$text in $file does not take more than its share of time for 1 MiB of its worst input', (one) => {
    for (const attack of worstAttacks(one)) {
      const length = breakingPoint(one, attack);
      expect(length, `slow on ${JSON.stringify(attack)}`).toBeUndefined();
    }
  });
});
