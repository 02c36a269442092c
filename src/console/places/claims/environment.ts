import { ServiceError } from '../../../errors.ts';
import { html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonLink, field, formOf, formPage, rowLink } from '../../parts/form-parts.ts';
import { table } from '../../parts/parts.ts';
import { action, type ConsoleRequest, form, type Page, page, type RefusedForm, type Route } from '../../route.ts';
import { kindPath, type TokenKind, tabPage } from './kinds.ts';
import { readBase, type Version, writeVersion } from './script-api.ts';

/** A valid name: scripts read it as `environmentVariables.NAME`. */
const NAME = /^[A-Za-z_]\w{0,127}$/;

const pathOf = (kind: TokenKind): string => `${kindPath(kind)}/environment`;

const namesOf = (base: Version | undefined): string[] => Object.keys(base?.value.environmentVariables ?? {}).sort();

/** Shows names only. Values can be replaced, but only scripts can read them. */
async function showEnvironment(request: ConsoleRequest, kind: TokenKind, refused?: RefusedForm): Promise<Page> {
  const base = await readBase(request, kind);
  const faults = faultsOf(refused);
  const rows = table({
    caption: 'Environment variables',
    rows: namesOf(base),
    empty: base
      ? 'No environment variables yet. The script reads them as environmentVariables.NAME.'
      : html`<p>Environment variables belong to a script, and there is no script yet.</p>${buttonLink(request, kindPath(kind), 'Write script', 'primary')}`,
    columns: [
      { label: 'Name', cell: (name) => html`<code class="mono">${name}</code>` },
      { label: 'Value', cell: () => html`<span class="quiet">Hidden</span>` },
      { label: '', cell: (name) => rowLink(request, `${pathOf(kind)}/${name}/remove`, 'Remove', name) },
    ],
  });
  const content = html`${field({ name: 'name', label: 'Name', value: refused?.values.get('name') ?? '', isMono: true, faults, format: 'Enter letters, digits, and underscores only. Start with a letter or an underscore.', hint: 'The value of an existing variable is replaced.' })}
${field({ name: 'value', label: 'Value', type: 'password', faults, hint: 'Stored encrypted and never shown again.' })}`;
  const setting = html`<h2>Set a variable</h2><p class="quiet">This creates a new version of the script and activates it immediately.</p>
${formOf(request, { path: pathOf(kind), content, submit: 'Set variable', faults })}`;
  return tabPage(request, kind, '/environment', {
    content: html`${rows}${base && html`<section class="section">${setting}</section>`}`,
  });
}

async function setVariable(request: ConsoleRequest, kind: TokenKind) {
  const base = await readBase(request, kind);
  const name = request.submitted.get('name')?.trim() ?? '';
  if (!NAME.test(name)) throw new ServiceError('guard.invalid_input', { details: 'body.name: must match pattern' });
  if (!base) throw new ServiceError('entity.not_exists');
  const environmentVariables = { ...base.value.environmentVariables, [name]: request.submitted.get('value') ?? '' };
  const { script } = base.value;
  const { text, undo } = await writeVersion(request, kind, base, { script, environmentVariables });
  return { to: pathOf(kind), flash: { text: `${name} set. ${text}`, undo } };
}

type AtVariable = ConsoleRequest<{ name: string }>;

const showRemove = (request: AtVariable, kind: TokenKind, refused?: RefusedForm): Page =>
  formPage(request, refused, {
    title: `Remove ${request.params.name}`,
    back: { path: pathOf(kind), label: 'Environment variables' },
    content: html`<p>This creates a new version of the script without this variable and activates it immediately.</p>`,
    submit: 'Remove variable',
    kind: 'danger',
  });

async function removeVariable(request: AtVariable, kind: TokenKind) {
  const base = await readBase(request, kind);
  const { name } = request.params;
  if (!base || !namesOf(base).includes(name)) throw new ServiceError('entity.not_exists');
  const { [name]: _, ...environmentVariables } = base.value.environmentVariables ?? {};
  const { script } = base.value;
  const { text, undo } = await writeVersion(request, kind, base, { script, environmentVariables });
  return { to: pathOf(kind), flash: { text: `${name} removed. ${text}`, undo } };
}

/** Both forms save a version of the script. */
const SAVING = 'PUT /configs/jwt-customizer/:tokenTypePath';

export const environmentRoutes = (kind: TokenKind): Route[] => [
  page(pathOf(kind), (request) => showEnvironment(request, kind)),
  action(
    pathOf(kind),
    (request, refused) => showEnvironment(request, kind, refused),
    (request) => setVariable(request, kind),
    SAVING,
  ),
  form(
    `${pathOf(kind)}/:name/remove`,
    (request, refused) => showRemove(request, kind, refused),
    (request) => removeVariable(request, kind),
    SAVING,
  ),
];
