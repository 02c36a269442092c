import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Step, steps } from '../src/sign-in/interaction/events.ts';

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Sections of docs/states.md whose code has a table of transitions. */
const MACHINES: Record<string, string> = {
  'Spend queue': 'src/tokens/exchange/spend-queue.ts',
  'Commit group': 'src/database/store/commit-group.ts',
  Runner: 'src/script-runners/runner.ts',
  Run: 'src/script-runners/run.ts',
  Deliveries: 'src/webhooks/deliveries/state.ts',
  'Webhook poller': 'src/webhooks/sending/poller.ts',
};

/** Sections whose states are derived, and the file with the union type or the list of their names. */
const DERIVED: Record<string, string> = {
  'Subject token': 'src/management/impersonations/subject-tokens.ts',
  'Circuit breaker': 'src/webhooks/sending/breaker.ts',
};

interface Edge {
  from: string;
  to: string;
  label: string;
}

/** Returns the transitions of the diagram below a heading, in the order of the page. Start and end are left out. */
function drawn(heading: string): Edge[] {
  const section = read('docs/states.md')
    .split(/^##+ /m)
    .find((part) => part.split('\n')[0] === heading);
  const diagram = /```mermaid\nstateDiagram-v2\n(.*?)```/s.exec(section ?? '')?.[1];
  if (diagram === undefined) throw new Error(`docs/states.md has no diagram for ${heading}`);
  const names = new Map(
    [...diagram.matchAll(/^\s*(\w+): ([\w-]+)$/gm)].map(([, alias = '', name = '']) => [alias, name]),
  );
  const edges = diagram.matchAll(/^\s*(\S+) --> (\S+?)(?:: (.+))?$/gm);
  return [...edges]
    .map(([, from = '', to = '', label = '']) => ({ from: names.get(from) ?? from, to: names.get(to) ?? to, label }))
    .filter(({ from, to }) => from !== '[*]' && to !== '[*]');
}

/** Returns the transitions of the table in a source file: `const …TRANSITIONS = { idle: ['claiming'] }`. */
function coded(file: string): string[] {
  const table = /const \w*TRANSITIONS\b.*?= \{\n(.*?)\n\}/s.exec(read(file))?.[1];
  if (table === undefined) throw new Error(`${file} has no table of transitions`);
  return [...table.matchAll(/^ {2}'?([\w-]+)'?: \[(.*?)\]/gms)].flatMap(([, from, targets = '']) =>
    [...targets.matchAll(/'([\w-]+)'/g)].map(([, to]) => `${from} → ${to}`),
  );
}

const unique = (list: readonly string[]): string[] => [...new Set(list)].toSorted();

describe('docs/states.md', () => {
  it.each(Object.entries(MACHINES))('shows the transitions of the code: %s', (heading, file) => {
    expect(unique(drawn(heading).map(({ from, to }) => `${from} → ${to}`))).toEqual(unique(coded(file)));
  });

  it.each(Object.entries(DERIVED))('shows the states of the code: %s', (heading, file) => {
    const states = unique(drawn(heading).flatMap(({ from, to }) => [from, to]));
    const source = read(file);
    expect(states.filter((state) => !source.includes(`'${state}'`))).toEqual([]);
  });

  it.each([
    ['Sign-in', 'SignIn'],
    ['Registration', 'Register'],
    ['Password reset', 'ForgotPassword'],
  ] as const)('shows the steps that an interaction allows in each state: %s', (heading, event) => {
    const stateOf = { always: 'started', identified: 'identified', proven: 'proven' } as const;
    const allowed = Object.entries(steps).flatMap(([step, when]) =>
      when[event] === 'never' ? [] : [`${stateOf[when[event]]}: ${step}`],
    );
    const isStep = (word: string): word is Step => Object.hasOwn(steps, word);
    const shown = drawn(heading).flatMap(({ from, label }) =>
      label
        .split(', ')
        .filter(isStep)
        .map((step) => `${from}: ${step}`),
    );
    expect(unique(shown)).toEqual(unique(allowed));
  });
});
