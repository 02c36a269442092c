import { csrfField, type Html, html } from '../../../pages/html.ts';
import type { Faults } from '../../parts/faults.ts';
import { field, tick } from '../../parts/form-parts.ts';
import { note } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import type { Members } from './completion.ts';
import type { Draft } from './draft.ts';
import { kindPath, type TokenKind } from './kinds.ts';
import { type Run, resultName } from './script-api.ts';

/** A syntax error found by the compiler. Line and column start at 1. */
export interface Fault {
  message: string;
  line?: number;
  column?: number;
}

/** A run with recorded input, and the name of its user. */
export type OfferedRun = Run & { user: string | null };

interface WorkbenchParts {
  kind: TokenKind;
  draft: Draft;
  /** True if the draft was submitted and differs from what is stored. */
  isUnsaved: boolean;
  /** Runs with recorded input, newest first. */
  runs: readonly OfferedRun[];
  types: Members;
  fault: Fault | undefined;
  faults: Faults;
  /** The result of the last test. */
  outcome: Html;
}

/** The compiler's message. The editor marks its position. */
export const faultNote = (fault: Fault): Html =>
  html`<div id="script-fault" data-line="${fault.line}" data-column="${fault.column}" data-message="${fault.message}">${note('bad', fault.message)}</div>`;

function inputs(draft: Draft, runs: readonly OfferedRun[], faults: Faults): Html {
  const options: [string, string][] = [
    ['', 'Sample data'],
    ...runs.map(({ id, createdAt, user, result }): [string, string] => [
      id,
      `Run of ${new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')} UTC, ${resultName(result)}${user ? `, ${user}` : ''}`,
    ]),
  ];
  if (draft.run && !runs.some(({ id }) => id === draft.run)) options.push([draft.run, `Run ${draft.run}`]);
  const isFaulty = faults.fields.has('tokenSample') || faults.fields.has('contextSample');
  return html`${field({ name: 'run', label: 'Test with', options, value: draft.run, faults, hint: runs.length === 0 ? 'Runs with recorded input appear here.' : undefined })}
<details class="samples"${isFaulty && html` open`}><summary>Edit sample data</summary>
${field({ name: 'tokenSample', label: 'token', value: draft.tokenSample, lines: 8, isMono: true, faults })}
${field({ name: 'contextSample', label: 'context', value: draft.contextSample, lines: 12, isMono: true, faults })}
</details>`;
}

/** Name of the draft in the browser. It is offered to this administrator only. */
const draftKey = ({ tenant, administrator }: ConsoleRequest, { tokenType }: TokenKind): string =>
  `understudy:draft:${tenant.id}:${tokenType}:${administrator.id}`;

/** Shown by the script if the browser has a draft. */
const offer = html`<div id="draft" hidden>${note('info', html`<div class="row"><p>Unsaved changes from <span data-time></span></p><div class="buttons"><button type="button" class="button compact" data-restore>Restore</button><button type="button" class="button compact" data-discard>Discard</button></div></div>`)}</div>`;

/** The editor next to the test input and the test result. It is a single form, so that it works without JavaScript. */
export function workbench(
  request: ConsoleRequest,
  { kind, draft, isUnsaved, runs, types, fault, faults, outcome }: WorkbenchParts,
): Html {
  const to = (path: string): string => request.to(kindPath(kind) + path);
  const missing = request.missingRole(`${kindPath(kind)}/save`, 'submit');
  const buttons = html`<div class="buttons"><button class="button" data-test>Run test</button><button class="button primary" formaction="${to('/review')}">Review changes</button></div>`;
  const scriptFault = faults.fields.get('script');
  return html`${offer}
<form class="workbench" method="post" action="${to('/test')}" novalidate data-workbench="${to('/check')}" data-draft="${draftKey(request, kind)}" data-leave="Your changes are kept as a draft in this browser."${isUnsaved && html` data-unsaved`}>${csrfField(request.csrf)}<input type="hidden" name="base" value="${draft.base}">
<div class="workbench-side">
${faults.general && note('bad', faults.general)}
<div class="field"><label for="script">Script</label>
${scriptFault && html`<p class="fault" id="script-error">${scriptFault}</p>`}
<div class="editor" data-types="${JSON.stringify(types)}"><textarea id="script" name="script" class="mono" rows="22" spellcheck="false" autocapitalize="off" autocomplete="off"${scriptFault && html` aria-invalid="true" aria-describedby="script-error"`}>${`\n${draft.script}`}</textarea></div></div>
<div id="compiled" aria-live="polite">${fault && faultNote(fault)}</div>
${missing ? note('info', `Testing and editing the script requires the role ${missing}.`) : buttons}
${tick('blockIssuanceOnError', 'If the script fails, do not issue the token', 'When off, the token is issued without custom claims.', draft.blockIssuanceOnError)}
${tick('recordInputs', 'Record the input of each run', 'Stored encrypted, so that you can test new versions with it. It contains user data.', draft.recordInputs)}
</div>
<div class="workbench-side">
${inputs(draft, runs, faults)}
<section id="outcome" class="outcome" aria-label="Result" aria-live="polite">${outcome}</section>
</div>
</form>`;
}
