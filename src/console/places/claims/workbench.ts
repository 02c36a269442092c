import { type Html, html } from '../../../pages/html.ts';
import type { Faults } from '../../parts/faults.ts';
import { field, token } from '../../parts/form-parts.ts';
import { note } from '../../parts/parts.ts';
import type { Visit } from '../../route.ts';
import type { Members } from './completion.ts';
import type { Draft } from './draft.ts';
import { type Kind, placeOf } from './kinds.ts';
import type { Run } from './stored.ts';

/** Where the compiler stopped; line and column count from 1. */
export interface Fault {
  message: string;
  line?: number;
  column?: number;
}

interface WorkbenchParts {
  kind: Kind;
  draft: Draft;
  /** Runs whose input was recorded, newest first. */
  runs: readonly Run[];
  types: Members;
  fault: Fault | undefined;
  faults: Faults;
  /** What came of the last test. */
  outcome: Html;
}

const box = (name: string, label: string, hint: string, isTicked: boolean): Html =>
  html`<div class="field"><label class="box"><input type="checkbox" name="${name}" value="true" aria-describedby="${name}-hint"${isTicked && html` checked`}> <span>${label}</span></label><p class="hint" id="${name}-hint">${hint}</p></div>`;

/** What the compiler says; the editor marks the place. */
export const faultNote = (fault: Fault): Html =>
  html`<div id="script-fault" data-line="${fault.line}" data-column="${fault.column}" data-message="${fault.message}">${note('bad', fault.message)}</div>`;

function inputs(draft: Draft, runs: readonly Run[], faults: Faults): Html {
  const options: [string, string][] = [
    ['', 'The sample below'],
    ...runs.map(({ id, createdAt, userId, result }): [string, string] => [
      id,
      `Run of ${new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')} UTC, ${result}${userId ? `, ${userId}` : ''}`,
    ]),
  ];
  if (draft.run && !runs.some(({ id }) => id === draft.run)) options.push([draft.run, `Run ${draft.run}`]);
  const isFaulty = faults.fields.has('tokenSample') || faults.fields.has('contextSample');
  return html`${field({ name: 'run', label: 'Try it on', options, value: draft.run, faults, hint: runs.length === 0 ? 'Runs appear here when their inputs are recorded.' : undefined })}
<details class="samples"${isFaulty && html` open`}><summary>Sample</summary>
${field({ name: 'tokenSample', label: 'token', value: draft.tokenSample, lines: 8, isMono: true, faults })}
${field({ name: 'contextSample', label: 'context', value: draft.contextSample, lines: 12, isMono: true, faults })}
</details>`;
}

/** The script, and beside it what it is tried on and what came of that. One form: it works without a script of ours. */
export function workbench(visit: Visit, { kind, draft, runs, types, fault, faults, outcome }: WorkbenchParts): Html {
  const to = (path: string): string => visit.to(placeOf(kind) + path);
  const scriptFault = faults.fields.get('script');
  return html`<form class="workbench" method="post" action="${to('/test')}" novalidate data-workbench="${to('/check')}">${token(visit)}
<div class="workbench-side">
${faults.general && note('bad', faults.general)}
<div class="field"><label for="script">Script</label>
${scriptFault && html`<p class="fault" id="script-error">${scriptFault}</p>`}
<div class="editor" data-types="${JSON.stringify(types)}"><textarea id="script" name="script" class="mono" rows="22" spellcheck="false" autocapitalize="off" autocomplete="off"${scriptFault && html` aria-invalid="true" aria-describedby="script-error"`}>${`\n${draft.script}`}</textarea></div></div>
<div id="compiled" aria-live="polite">${fault && faultNote(fault)}</div>
<div class="buttons"><button class="button" data-test>Test</button><button class="button primary" formaction="${to('/review')}">Review changes</button></div>
${box('blockIssuanceOnError', 'A failing script refuses the token', 'Otherwise the token is issued without these claims, and looks as if it needed none.', draft.blockIssuanceOnError)}
${box('recordInputs', 'Record the input of each run', 'Encrypted, to try later scripts on. It holds what is known of the user.', draft.recordInputs)}
</div>
<div class="workbench-side">
${inputs(draft, runs, faults)}
<section id="outcome" class="outcome" aria-label="Result" aria-live="polite">${outcome}</section>
</div>
</form>`;
}
