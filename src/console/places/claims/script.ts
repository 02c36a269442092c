import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, buttonLink, formPage } from '../../parts/form-parts.ts';
import { namesOf } from '../../parts/names.ts';
import { note, state } from '../../parts/parts.ts';
import { action, type ConsoleRequest, form, type Page, page, type RefusedForm, type Route } from '../../route.ts';
import { membersOf } from './completion.ts';
import { bothChanges, type Conflict, conflictNote, conflictOf, mergedDraft } from './conflict.ts';
import { changesOf, isUnchanged } from './diff.ts';
import { baseOf, type Draft, draftOf, fieldsOfDraft, samplesOf, sentDraft, uploadOf } from './draft.ts';
import { kindPath, type TokenKind, tabPage } from './kinds.ts';
import { outcomeOf } from './outcome.ts';
import { readBase, readVersion, SCRIPT, scriptOf, type Version, writeVersion } from './script-api.ts';
import { type Fault, faultNote, type OfferedRun, workbench } from './workbench.ts';

/** Number of recorded runs offered as test input. */
const RUNS_OFFERED = '10';

/** State of the editor page in addition to what is stored. */
interface EditorState {
  draft?: Draft;
  fault?: Fault | undefined;
  outcome?: Html;
  refused?: RefusedForm | undefined;
}

/** True if the drafts would be saved as the same version. */
const isSame = (one: Draft, other: Draft): boolean =>
  JSON.stringify(fieldsOfDraft({ ...one, run: '', base: '' })) ===
  JSON.stringify(fieldsOfDraft({ ...other, run: '', base: '' }));

const NOT_TESTED = html`<p class="quiet">Run a test to see the resulting token and the console output.</p>`;

async function readTypes({ perform }: ConsoleRequest, { input }: TokenKind) {
  return membersOf((await perform('GET /configs/jwt-customizer/types')).value, input);
}

async function recordedRuns(request: ConsoleRequest, kind: TokenKind): Promise<OfferedRun[]> {
  const query = { inputRecorded: 'true', page_size: RUNS_OFFERED };
  const { value: runs } = await request.perform(`GET ${SCRIPT}/runs`, { params: scriptOf(kind), query });
  const { users } = await namesOf(request, { users: runs.map(({ userId }) => userId), applications: [] });
  return runs.map((run) => ({ ...run, user: run.userId && (users.get(run.userId) ?? run.userId) }));
}

function scriptState(request: ConsoleRequest, kind: TokenKind, base: Version | undefined): Html {
  if (!base) return state('off', 'No script yet. Tokens are issued without custom claims.');
  const link = html`<a href="${request.to(`${kindPath(kind)}/versions/${base.number}`)}">version ${base.number}</a>`;
  if (!base.active) return html`${state('off', 'Inactive.')} The latest is ${link}.`;
  return html`<span class="state ok">Active: ${link}</span>`;
}

async function showScript(request: ConsoleRequest, kind: TokenKind, editor: EditorState = {}): Promise<Page> {
  const { refused, fault, outcome = NOT_TESTED } = editor;
  const [base, runs, types] = await Promise.all([
    readBase(request, kind),
    recordedRuns(request, kind),
    readTypes(request, kind),
  ]);
  const from = request.query.get('from');
  const opened = { run: request.query.get('run') ?? undefined, base: baseOf(base) };
  const stored = draftOf(kind, base?.value, opened);
  const sent = editor.draft ?? (refused && sentDraft(refused.values));
  const draft = sent ?? (from ? draftOf(kind, (await readVersion(request, kind, from)).value, opened) : stored);
  types.environmentVariables = Object.keys(base?.value.environmentVariables ?? {}).map((name) => ({
    name,
    type: 'string',
  }));
  return tabPage(request, kind, '', {
    ...(base?.active && {
      actions: html`${buttonLink(request, `${kindPath(kind)}/off`, 'Deactivate')}`,
    }),
    content: html`<p>${scriptState(request, kind, base)}</p>
${workbench(request, { kind, draft, isUnsaved: sent !== undefined && !isSame(sent, stored), runs, types, fault, faults: faultsOf(refused), outcome })}`,
    modules: ['console/script-editor'],
  });
}

async function compile({ perform }: ConsoleRequest, script: string): Promise<Fault | undefined> {
  const { value } = await perform('POST /configs/jwt-customizer/check', { body: { script } });
  return value.fault ?? undefined;
}

/** Compiles the script for the editor, while the author types. */
async function check(request: ConsoleRequest): Promise<Page> {
  const fault = await compile(request, sentDraft(request.submitted).script);
  return { title: 'Check', content: html`<div id="compiled">${fault && faultNote(fault)}</div>` };
}

async function test(request: ConsoleRequest, kind: TokenKind): Promise<Page> {
  const draft = sentDraft(request.submitted);
  const fault = await compile(request, draft.script);
  if (fault) return showScript(request, kind, { draft, fault, outcome: note('bad', 'The script does not compile.') });
  const environmentVariables = (await readBase(request, kind))?.value.environmentVariables ?? {};
  const { tokenSample: token, contextSample: context } = draft.run ? {} : samplesOf(draft);
  const input = draft.run ? { runId: draft.run } : { token, context };
  const body = { tokenType: kind.tokenType, script: draft.script, environmentVariables, ...input };
  const { value } = await request.perform('POST /configs/jwt-customizer/trial', { body });
  return showScript(request, kind, { draft, outcome: outcomeOf(value) });
}

interface Review {
  draft: Draft;
  base: Version | undefined;
  conflict: Conflict | undefined;
}

/** The forms of the confirmation page. `reviewed` is the version that the changes were compared with. */
function reviewButtons(
  request: ConsoleRequest,
  kind: TokenKind,
  { draft, base, conflict }: Review,
  canActivate: boolean,
) {
  const path = kindPath(kind);
  const fields = { ...fieldsOfDraft(draft), reviewed: baseOf(base) };
  const merged = conflict && mergedDraft(kind, draft, conflict);
  return html`<div class="buttons">${canActivate && buttonForm(request, `${path}/save`, 'Activate script', { fields, kind: 'primary' })}${merged && buttonForm(request, `${path}/edit`, 'Combine both in the editor', { fields: fieldsOfDraft(merged), kind: '' })}${buttonForm(request, `${path}/edit`, 'Back to editor', { fields, kind: '' })}</div>`;
}

/** The confirmation page: a script is activated only after its changes, and those of others, were shown. */
async function reviewPage(
  request: ConsoleRequest,
  kind: TokenKind,
  draft: Draft,
  base: Version | undefined,
): Promise<Page> {
  const active = base?.active ? base : undefined;
  const conflict = await conflictOf(request, kind, draft, active);
  const { environmentVariables } = base?.value ?? {};
  const after = { ...uploadOf(kind, draft, base?.value), ...(environmentVariables && { environmentVariables }) };
  const canActivate = !active || !isUnchanged(active.value, after);
  return {
    title: 'Review changes',
    lead: active ? `Compared with version ${active.number}, which is active.` : 'No script is active.',
    back: { path: kindPath(kind), label: kind.name },
    content: html`${conflict && (await conflictNote(request, conflict))}
${!canActivate && note('info', `Nothing has changed. Version ${active?.number} is already active.`)}
${reviewButtons(request, kind, { draft, base, conflict }, canActivate)}
${canActivate && html`<div class="changes">${changesOf(active?.value, after)}</div>`}
${conflict && bothChanges(kind, draft, conflict)}`,
  };
}

async function review(request: ConsoleRequest, kind: TokenKind): Promise<Page> {
  const draft = sentDraft(request.submitted);
  const fault = await compile(request, draft.script);
  return fault
    ? showScript(request, kind, { draft, fault })
    : reviewPage(request, kind, draft, await readBase(request, kind));
}

async function save(request: ConsoleRequest, kind: TokenKind) {
  const draft = sentDraft(request.submitted);
  const base = await readBase(request, kind);
  if (request.submitted.get('reviewed') !== baseOf(base)) return reviewPage(request, kind, draft, base);
  return { to: kindPath(kind), flash: await writeVersion(request, kind, base, uploadOf(kind, draft, base?.value)) };
}

const showDeactivate = (request: ConsoleRequest, kind: TokenKind, refused?: RefusedForm): Page =>
  formPage(request, refused, {
    title: `Deactivate the script for ${kind.name.toLowerCase()}`,
    back: { path: kindPath(kind), label: kind.name },
    content: html`<p>Tokens will be issued without custom claims. All versions are kept, and you can activate any of them again.</p>`,
    submit: 'Deactivate script',
    kind: 'danger',
  });

async function deactivate(request: ConsoleRequest, kind: TokenKind) {
  const base = await readBase(request, kind);
  await request.perform(`DELETE ${SCRIPT}`, { params: scriptOf(kind) });
  const undo = { path: `${kindPath(kind)}/versions/${base?.number}/activate` };
  return { to: kindPath(kind), flash: { text: 'Script deactivated.', undo } };
}

export function scriptRoutes(kind: TokenKind): Route[] {
  const path = kindPath(kind);
  const show = (request: ConsoleRequest, refused?: RefusedForm) => showScript(request, kind, { refused });
  return [
    page(path, show),
    action(`${path}/check`, show, check, 'POST /configs/jwt-customizer/check'),
    action(`${path}/test`, show, (request) => test(request, kind), 'POST /configs/jwt-customizer/trial'),
    action(`${path}/review`, show, (request) => review(request, kind), `PUT ${SCRIPT}`),
    action(
      `${path}/edit`,
      show,
      (request) => showScript(request, kind, { draft: sentDraft(request.submitted) }),
      `PUT ${SCRIPT}`,
    ),
    action(`${path}/save`, show, (request) => save(request, kind), `PUT ${SCRIPT}`),
    form(
      `${path}/off`,
      (request, refused) => showDeactivate(request, kind, refused),
      (request) => deactivate(request, kind),
      `DELETE ${SCRIPT}`,
    ),
  ];
}
