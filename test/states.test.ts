import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Step, steps } from '../src/sign-in/interaction/events.ts';

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Sections of docs/states.md whose code has a table of transitions: its file, and the name of the machine or the constant. */
const MACHINES: [heading: string, file: string, name: string][] = [
  ['Write queue', 'src/database/store/write-queue.ts', 'write queue'],
  ['Commit group', 'src/database/store/commit-group.ts', 'commit group'],
  ['Run', 'src/script-runners/states.ts', 'run'],
  ['Runner', 'src/script-runners/states.ts', 'runner'],
  ['Runner group', 'src/script-runners/states.ts', 'runner group'],
  ['Quarantine of a tenant', 'src/script-runners/states.ts', 'tenant'],
  ['Disabling of a script', 'src/script-runners/states.ts', 'script'],
  ['Deliveries', 'src/webhooks/deliveries/state.ts', 'DELIVERY_TRANSITIONS'],
  ['Webhook poller', 'src/webhooks/sending/poller.ts', 'webhook poller'],
];

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
  const aliases = [
    ...diagram.matchAll(/^\s*(?<alias>\w+): (?<name>[\w-]+)$/gm),
    ...diagram.matchAll(/^\s*state "(?<name>[\w-]+)" as (?<alias>\w+)$/gm),
  ];
  const names = new Map(aliases.map(({ groups = {} }) => [groups.alias ?? '', groups.name ?? '']));
  const edges = diagram.matchAll(/^\s*(\S+) --> (\S+?)(?:: (.+))?$/gm);
  return [...edges]
    .map(([, from = '', to = '', label = '']) => ({ from: names.get(from) ?? from, to: names.get(to) ?? to, label }))
    .filter(({ from, to }) => from !== '[*]' && to !== '[*]');
}

/** Returns the object literal of a state machine's table: the second argument, or the constant that it names. */
function tableIn(source: string, name: string): string | undefined {
  const [, inline, constant = name] = new RegExp(`'${name}',\\s*(?:(\\{)|(\\w+))`).exec(source) ?? [];
  const start = inline
    ? source.indexOf('{', source.indexOf(`'${name}',`))
    : source.indexOf('{\n', source.search(new RegExp(`const ${constant}\\b`)));
  return start < 0 ? undefined : source.slice(start, source.indexOf('}', start));
}

/** Returns the transitions of a table in the code: `{ idle: ['claiming'] }` is `idle → claiming`. */
function coded(file: string, name: string): string[] {
  const table = tableIn(read(file), name);
  if (table === undefined) throw new Error(`${file} has no table of transitions for ${name}`);
  return [...table.matchAll(/'?([\w-]+)'?: \[(.*?)\]/gs)].flatMap(([, from, targets = '']) =>
    [...targets.matchAll(/'([\w-]+)'/g)].map(([, to]) => `${from} → ${to}`),
  );
}

const unique = (list: readonly string[]): string[] => [...new Set(list)].toSorted();

describe('docs/states.md', () => {
  it.each(MACHINES)('shows the transitions of the code: %s', (heading, file, name) => {
    const transitions = coded(file, name);
    expect(transitions.length).toBeGreaterThan(1);
    expect(unique(drawn(heading).map(({ from, to }) => `${from} → ${to}`))).toEqual(unique(transitions));
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
