import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, formOf } from '../../parts/form-parts.ts';
import { note, state } from '../../parts/parts.ts';
import { type Attempt, action, form, type Page, page, type Route, type Visit } from '../../route.ts';
import { membersOf } from './completion.ts';
import { changesOf } from './diff.ts';
import { type Draft, draftOf, fieldsOfDraft, samplesOf, sentDraft, uploadOf } from './draft.ts';
import { type Kind, placeOf, tabPage } from './kinds.ts';
import { outcomeOf, type Trial } from './outcome.ts';
import { type Run, readBase, readVersion, routeOf, type Version, writeVersion } from './stored.ts';
import { type Fault, faultNote, workbench } from './workbench.ts';

/** Recorded runs to choose from. */
const RUNS_OFFERED = '10';

/** What the editor is shown with, besides what is stored. */
interface Shown {
  draft?: Draft;
  fault?: Fault | undefined;
  outcome?: Html;
  attempt?: Attempt | undefined;
}

const UNTRIED = html`<p class="quiet">What the token would hold appears here, with the script's console.</p>`;

async function readTypes({ perform }: Visit, { input }: Kind) {
  return membersOf(String((await perform<string>('GET /configs/jwt-customizer/types')).value), input);
}

async function recordedRuns({ perform }: Visit, kind: Kind): Promise<Run[]> {
  const [route, params] = routeOf(kind, 'GET', '/runs');
  const query = { inputRecorded: 'true', page_size: RUNS_OFFERED };
  return (await perform<Run[]>(route, { params, query })).value;
}

function stateOf(visit: Visit, kind: Kind, base: Version | undefined): Html {
  if (!base) return state('off', 'No script yet: tokens get no claims of yours');
  const link = html`<a href="${visit.to(`${placeOf(kind)}/versions/${base.number}`)}">version ${base.number}</a>`;
  if (!base.active) return html`${state('off', 'Not in use.')} The newest is ${link}.`;
  return html`<span class="state ok">In use: ${link}</span>`;
}

async function showScript(visit: Visit, kind: Kind, shown: Shown = {}): Promise<Page> {
  const { attempt, fault, outcome = UNTRIED } = shown;
  const [base, runs, types] = await Promise.all([
    readBase(visit, kind),
    recordedRuns(visit, kind),
    readTypes(visit, kind),
  ]);
  const from = visit.query.get('from');
  const draft =
    shown.draft ??
    (attempt
      ? sentDraft(attempt.typed)
      : draftOf(
          kind,
          from ? (await readVersion(visit, kind, from)).value : base?.value,
          visit.query.get('run') ?? undefined,
        ));
  types.environmentVariables = Object.keys(base?.value.environmentVariables ?? {}).map((name) => ({
    name,
    type: 'string',
  }));
  return tabPage(visit, kind, '', {
    ...(base?.active && {
      actions: html`<a class="button" href="${visit.to(`${placeOf(kind)}/off`)}">Stop using it</a>`,
    }),
    content: html`<p>${stateOf(visit, kind, base)}</p>
${workbench(visit, { kind, draft, runs, types, fault, faults: faultsOf(attempt), outcome })}`,
    modules: ['console/script-editor'],
  });
}

async function compile({ perform }: Visit, script: string): Promise<Fault | undefined> {
  const { value } = await perform<{ fault: Fault | null }>('POST /configs/jwt-customizer/check', { body: { script } });
  return value.fault ?? undefined;
}

/** For the editor, while somebody types. */
async function check(visit: Visit): Promise<Page> {
  const fault = await compile(visit, sentDraft(visit.sent).script);
  return { title: 'Check', content: html`<div id="compiled">${fault && faultNote(fault)}</div>` };
}

async function test(visit: Visit, kind: Kind): Promise<Page> {
  const draft = sentDraft(visit.sent);
  const fault = await compile(visit, draft.script);
  if (fault) return showScript(visit, kind, { draft, fault, outcome: note('bad', 'The script does not compile.') });
  const environmentVariables = (await readBase(visit, kind))?.value.environmentVariables ?? {};
  const { tokenSample: token, contextSample: context } = draft.run ? {} : samplesOf(draft);
  const input = draft.run ? { runId: draft.run } : { token, context };
  const body = { tokenType: kind.tokenType, script: draft.script, environmentVariables, ...input };
  const { value } = await visit.perform<Trial>('POST /configs/jwt-customizer/trial', { body });
  return showScript(visit, kind, { draft, outcome: outcomeOf(value) });
}

/** Nothing becomes active before it was seen what changes. */
function reviewPage(visit: Visit, kind: Kind, draft: Draft, base: Version | undefined, isOvertaken = false): Page {
  const active = base?.active ? base : undefined;
  const { environmentVariables } = base?.value ?? {};
  const after = { ...uploadOf(draft), ...(environmentVariables && { environmentVariables }) };
  const fields = { ...fieldsOfDraft(draft), base: String(active?.number ?? 0) };
  const overtaken =
    isOvertaken && note('warn', 'Somebody else changed what is in use meanwhile. These are the changes to that.');
  return {
    title: 'Review changes',
    lead: active ? `Compared with version ${active.number}, which is in use.` : 'No script is in use now.',
    back: { path: placeOf(kind), label: kind.name },
    content: html`${overtaken}
<div class="buttons">${buttonForm(visit, `${placeOf(kind)}/save`, 'Activate', { fields, kind: 'primary' })}${buttonForm(visit, `${placeOf(kind)}/edit`, 'Back to the editor', { fields, kind: '' })}</div>
<div class="changes">${changesOf(active?.value, after)}</div>`,
  };
}

async function review(visit: Visit, kind: Kind): Promise<Page> {
  const draft = sentDraft(visit.sent);
  const fault = await compile(visit, draft.script);
  return fault
    ? showScript(visit, kind, { draft, fault })
    : reviewPage(visit, kind, draft, await readBase(visit, kind));
}

async function save(visit: Visit, kind: Kind) {
  const draft = sentDraft(visit.sent);
  const base = await readBase(visit, kind);
  const inUse = base?.active ? base.number : 0;
  if (visit.sent.get('base') !== String(inUse)) return reviewPage(visit, kind, draft, base, true);
  return { to: placeOf(kind), flash: await writeVersion(visit, kind, base, uploadOf(draft)) };
}

const showOff = (visit: Visit, kind: Kind, attempt?: Attempt): Page => ({
  title: `Stop using the script for ${kind.name.toLowerCase()}`,
  back: { path: placeOf(kind), label: kind.name },
  content: formOf(visit, {
    path: `${placeOf(kind)}/off`,
    content: html`<p>Tokens are issued without its claims from now on. Its versions stay, and each can be activated again.</p>`,
    submit: 'Stop using it',
    kind: 'danger',
    cancel: placeOf(kind),
    faults: faultsOf(attempt),
  }),
});

async function turnOff(visit: Visit, kind: Kind) {
  const base = await readBase(visit, kind);
  const [route, params] = routeOf(kind, 'DELETE');
  await visit.perform(route, { params });
  const undo = { path: `${placeOf(kind)}/versions/${base?.number}/activate` };
  return { to: placeOf(kind), flash: { text: 'No script is in use any more.', undo } };
}

export function scriptRoutes(kind: Kind): Route[] {
  const path = placeOf(kind);
  const show = (visit: Visit, attempt?: Attempt) => showScript(visit, kind, { attempt });
  return [
    page(path, show),
    action(`${path}/check`, show, check),
    action(`${path}/test`, show, (visit) => test(visit, kind)),
    action(`${path}/review`, show, (visit) => review(visit, kind)),
    action(`${path}/edit`, show, (visit) => showScript(visit, kind, { draft: sentDraft(visit.sent) })),
    action(`${path}/save`, show, (visit) => save(visit, kind)),
    form(
      `${path}/off`,
      (visit, attempt) => showOff(visit, kind, attempt),
      (visit) => turnOff(visit, kind),
    ),
  ];
}
