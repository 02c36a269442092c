import { readdirSync, readFileSync } from 'node:fs';

/** A script that tries to escape or to do harm. `corpus/` contains them by category. */
export interface HostileScript {
  category: string;
  name: string;
  /** The layer that must stop it. */
  layer: string;
  source: string;
  /** Results that show that it was stopped. */
  expected: string[];
  /** The expected output, for scripts that return what they found. */
  output?: unknown;
  /** The exact message expected. */
  message?: string;
  /** The exact number of console lines expected. */
  console?: number;
  /** Number of runs, each as a different tenant if `tenants`. The outcome of the last one is checked. */
  runs: number;
  tenants: boolean;
  /** Two runs must differ. */
  differs: boolean;
  /** The script ends by itself and its duration does not matter, so it gets enough time even for a busy host. */
  unhurried: boolean;
  /** The effect of the script when the layer is switched off. */
  off?: 'runs on' | 'ok' | 'more console' | 'more message';
}

/** Reads every category: sections that begin with `//# name`, then `// key: value` lines, then the script. */
export function readCorpus(): HostileScript[] {
  const folder = new URL('corpus/', import.meta.url);
  return readdirSync(folder)
    .sort()
    .flatMap((file) =>
      readFileSync(new URL(file, folder), 'utf8')
        .split(/^\/\/# /m)
        .slice(1)
        .map((section) => parse(file.replace('.js', ''), section)),
    );
}

function parse(category: string, section: string): HostileScript {
  const [name = '', ...lines] = section.split('\n');
  const facts: Record<string, string> = {};
  while (lines[0]?.startsWith('// ')) {
    const [, key = '', value = ''] = /^\/\/ (\w+): (.*)$/.exec(lines.shift() ?? '') ?? [];
    facts[key] = value;
  }
  const { layer, expect, output, message, console, runs, tenants, differs, unhurried, off } = facts;
  if (!layer) throw new Error(`${category}: ${name} names no layer.`);
  return {
    category,
    name,
    layer,
    source: lines.join('\n'),
    expected: expect?.split(' ') ?? ['ok'],
    ...(output !== undefined && { output: JSON.parse(output) }),
    ...(message !== undefined && { message }),
    ...(console !== undefined && { console: Number(console) }),
    runs: Number(runs ?? tenants ?? 1),
    tenants: tenants !== undefined,
    differs: differs === 'true',
    unhurried: unhurried === 'true',
    ...(off !== undefined && { off: off as NonNullable<HostileScript['off']> }),
  };
}
