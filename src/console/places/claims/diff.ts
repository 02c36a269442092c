import { structuredPatch } from 'diff';
import { type Html, html } from '../../../pages/html.ts';
import { facts } from '../../parts/parts.ts';
import type { ScriptValue } from './script-api.ts';

/** Unchanged lines shown around each change. */
const CONTEXT_LINES = 3;
/**
 * Most added and removed lines that are compared. The cost grows with their square and blocks the main thread: 500 take
 * about 10 ms; two scripts with 5,000 different lines took 5 s.
 */
export const MOST_CHANGES = 500;

const KINDS: Record<string, string> = { '+': 'added', '-': 'removed', ' ': 'same' };

const whole = (name: string, script: string): Html =>
  html`<pre class="mono" tabindex="0" role="region" aria-label="${name}">${script}</pre>`;

/** A line diff. The + and - signs carry the same information as the colors. */
function linesOf(before: string, after: string): Html {
  const options = { context: CONTEXT_LINES, maxEditLength: MOST_CHANGES };
  const patch = structuredPatch('', '', before, after, '', '', options);
  if (!patch)
    return html`<p class="quiet">More than ${MOST_CHANGES} lines differ. Both scripts are shown in full, the old one first.</p>${whole('Old script', before)}${whole('New script', after)}`;
  const { hunks } = patch;
  if (hunks.length === 0) return html`<p class="quiet">The script is unchanged.</p>`;
  const parts = hunks.map(({ oldStart, newStart, lines }) => {
    let [old, fresh] = [oldStart, newStart];
    const rows = lines.map((line) => {
      const sign = line.slice(0, 1);
      if (!(sign in KINDS)) return false; // "\ No newline at end of file".
      const number = sign === '-' ? old : fresh;
      if (sign !== '+') old += 1;
      if (sign !== '-') fresh += 1;
      return html`<span class="${KINDS[sign]}"><span class="line-number" aria-hidden="true">${number}</span>${line}
</span>`;
    });
    return html`<span class="hunk">Line ${newStart}
</span>${rows}`;
  });
  return html`<pre class="diff mono" tabindex="0" role="region" aria-label="Changes to the script">${parts}</pre>`;
}

const yes = (value: boolean | undefined) => (value === undefined ? 'not set' : value ? 'yes' : 'no');

const sampleText = ({ tokenSample, contextSample }: Partial<ScriptValue>) =>
  JSON.stringify([tokenSample, contextSample]);

/** Names of the variables that differ, each with "added", "removed", or "changed". */
function environmentChanges(before: Record<string, string> = {}, after: Record<string, string> = {}): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${!(name in before) ? 'added' : !(name in after) ? 'removed' : 'changed'}`);
}

/** A script that sets no switch has their defaults. */
const switchesOf = ({ blockIssuanceOnError = true, recordInputs = false }: ScriptValue) => ({
  blockIssuanceOnError,
  recordInputs,
});

/** Changes to the settings of a script. */
function settingChanges(before: ScriptValue | undefined, after: ScriptValue): (readonly [string, string])[] {
  const environment = environmentChanges(before?.environmentVariables, after.environmentVariables);
  const [old, fresh] = [before && switchesOf(before), switchesOf(after)];
  const switches = [
    ['Block the token if the script fails', old?.blockIssuanceOnError, fresh.blockIssuanceOnError],
    ['Record the input of each run', old?.recordInputs, fresh.recordInputs],
  ] as const;
  return [
    ...switches.flatMap(([label, was, is]) => (was === is ? [] : [[label, `${yes(was)} → ${yes(is)}`] as const])),
    ...(environment.length > 0 ? [['Environment variables', environment.join(', ')] as const] : []),
    ...(before && sampleText(before) !== sampleText(after) ? [['Sample data', 'changed'] as const] : []),
  ];
}

export const isUnchanged = (before: ScriptValue, after: ScriptValue): boolean =>
  before.script === after.script && settingChanges(before, after).length === 0;

/** Changes to the script and its settings. Values of environment variables are never shown. */
export function changesOf(before: ScriptValue | undefined, after: ScriptValue): Html {
  const others = settingChanges(before, after);
  return html`${linesOf(before?.script ?? '', after.script)}${others.length > 0 && facts(others)}`;
}
