import { readdirSync, readFileSync } from 'node:fs';

/** A script that wants out, or to do harm; `corpus/` holds them by category. */
export interface HostileScript {
  category: string;
  name: string;
  /** What must stop it. */
  layer: string;
  source: string;
  /** Results that count as stopped. */
  expected: string[];
  /** What it must return, when what it returns shows that it found nothing. */
  output?: unknown;
  /** Exactly this message. */
  message?: string;
  /** Exactly this many console lines. */
  console?: number;
  /** Run this often, each run as a different tenant when `tenants`; the last run is the one that is looked at. */
  runs: number;
  tenants: boolean;
  /** Two runs must differ. */
  differs: boolean;
  /** It ends by itself, so it has time enough for the busiest machine: what it is about is not its time. */
  unhurried: boolean;
  /** What happens when the layer is switched off: without it the script gets through. */
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
