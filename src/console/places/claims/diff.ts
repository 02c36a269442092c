import { structuredPatch } from 'diff';
import { type Html, html } from '../../../pages/html.ts';
import { facts } from '../../parts.ts';
import type { ScriptValue } from './stored.ts';

/** Lines that stay the same, around those that do not. */
const CONTEXT_LINES = 3;

const KINDS: Record<string, string> = { '+': 'added', '-': 'removed', ' ': 'same' };

/** Line by line; the sign says the same as the colour. */
function linesOf(before: string, after: string): Html {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES });
  if (hunks.length === 0) return html`<p class="quiet">The script stays as it is.</p>`;
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
  return html`<pre class="diff mono" tabindex="0" role="region" aria-label="Changes of the script">${parts}</pre>`;
}

const yes = (value: boolean | undefined) => (value === undefined ? 'nothing' : value ? 'yes' : 'no');

const sampleText = ({ tokenSample, contextSample }: Partial<ScriptValue>) =>
  JSON.stringify([tokenSample, contextSample]);

/** Names whose values differ, with what became of them. */
function environmentChanges(before: Record<string, string> = {}, after: Record<string, string> = {}): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${!(name in before) ? 'added' : !(name in after) ? 'removed' : 'changed'}`);
}

/** What becomes different, of the script and of what goes with it. Values of environment variables stay unsaid. */
export function changesOf(before: ScriptValue | undefined, after: ScriptValue): Html {
  const environment = environmentChanges(before?.environmentVariables, after.environmentVariables);
  const switches = [
    ['A failing script refuses the token', before?.blockIssuanceOnError, after.blockIssuanceOnError],
    ['Inputs are recorded', before?.recordInputs, after.recordInputs],
  ] as const;
  const others = [
    ...switches.flatMap(([label, was, is]) => (was === is ? [] : [[label, `${yes(was)} → ${yes(is)}`] as const])),
    ...(environment.length > 0 ? [['Environment variables', environment.join(', ')] as const] : []),
    ...(before && sampleText(before) !== sampleText(after) ? [['Samples for tests', 'changed'] as const] : []),
  ];
  return html`${linesOf(before?.script ?? '', after.script)}${others.length > 0 && facts(others)}`;
}
