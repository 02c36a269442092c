import { ServiceError } from '../../../errors.ts';
import { html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { table } from '../../parts/parts.ts';
import { type Attempt, form, type Page, type Route, type Visit } from '../../route.ts';
import { type Kind, placeOf, tabPage } from './kinds.ts';
import { readBase, type Version, writeVersion } from './stored.ts';

/** As in a script: `environmentVariables.NAME`. */
const NAME = /^[A-Za-z_]\w{0,127}$/;

const pathOf = (kind: Kind): string => `${placeOf(kind)}/environment`;

const namesOf = (base: Version | undefined): string[] => Object.keys(base?.value.environmentVariables ?? {}).sort();

/** Names, never values: those can be replaced, and read by the script alone. */
async function showEnvironment(visit: Visit, kind: Kind, attempt?: Attempt): Promise<Page> {
  const base = await readBase(visit, kind);
  const faults = faultsOf(attempt);
  const rows = table({
    caption: 'Environment variables',
    rows: namesOf(base),
    empty: base
      ? 'There is none. What the script reads as environmentVariables.NAME is set here.'
      : html`<p>Variables belong to a script, and there is none yet.</p><a class="button primary" href="${visit.to(placeOf(kind))}">Write a script</a>`,
    columns: [
      { label: 'Name', cell: (name) => html`<code class="mono">${name}</code>` },
      { label: 'Value', cell: () => html`<span class="quiet">Set, not shown</span>` },
      {
        label: '',
        cell: (name) =>
          html`<div class="row-actions"><a class="button compact" href="${visit.to(`${pathOf(kind)}/${name}/remove`)}">Remove<span class="unseen"> ${name}</span></a></div>`,
      },
    ],
  });
  const content = html`${field({ name: 'name', label: 'Name', value: attempt?.typed.get('name') ?? '', isMono: true, faults, hint: 'One that is set already gets the new value.' })}
${field({ name: 'value', label: 'Value', type: 'password', faults, hint: 'Stored encrypted. It is not shown again.' })}`;
  const setting = html`<h2>Set a variable</h2><p class="quiet">This makes a new version of the script, in use at once.</p>
${formOf(visit, { path: pathOf(kind), content, submit: 'Set variable', faults })}`;
  return tabPage(visit, kind, '/environment', {
    content: html`${rows}${base && html`<section class="section">${setting}</section>`}`,
  });
}

async function setVariable(visit: Visit, kind: Kind) {
  const base = await readBase(visit, kind);
  const name = visit.sent.get('name')?.trim() ?? '';
  if (!NAME.test(name)) throw new ServiceError('guard.invalid_input', { details: 'body.name: must match pattern' });
  if (!base) throw new ServiceError('entity.not_exists');
  const environmentVariables = { ...base.value.environmentVariables, [name]: visit.sent.get('value') ?? '' };
  const { script } = base.value;
  const { text, undo } = await writeVersion(visit, kind, base, { script, environmentVariables });
  return { to: pathOf(kind), flash: { text: `${name} is set. ${text}`, undo } };
}

const showRemove = (visit: Visit, kind: Kind, attempt?: Attempt): Page => ({
  title: `Remove ${visit.params.name}`,
  back: { path: pathOf(kind), label: 'Environment variables' },
  content: formOf(visit, {
    path: visit.path,
    content: html`<p>This makes a new version of the script without it, in use at once.</p>`,
    submit: `Remove ${visit.params.name}`,
    kind: 'danger',
    cancel: pathOf(kind),
    faults: faultsOf(attempt),
  }),
});

async function removeVariable(visit: Visit, kind: Kind) {
  const base = await readBase(visit, kind);
  const { name = '' } = visit.params;
  if (!base || !namesOf(base).includes(name)) throw new ServiceError('entity.not_exists');
  const { [name]: _, ...environmentVariables } = base.value.environmentVariables ?? {};
  const { script } = base.value;
  const { text, undo } = await writeVersion(visit, kind, base, { script, environmentVariables });
  return { to: pathOf(kind), flash: { text: `${name} was removed. ${text}`, undo } };
}

export const environmentRoutes = (kind: Kind): Route[] => [
  form(
    pathOf(kind),
    (visit, attempt) => showEnvironment(visit, kind, attempt),
    (visit) => setVariable(visit, kind),
  ),
  form(
    `${pathOf(kind)}/:name/remove`,
    (visit, attempt) => showRemove(visit, kind, attempt),
    (visit) => removeVariable(visit, kind),
  ),
];
