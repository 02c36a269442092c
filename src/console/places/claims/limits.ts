import type { Body } from '../../api.ts';
import { bodyOf, type EntityField, fieldsOf, keepChangesOf } from '../../entities/entity-fields.ts';
import { formPage } from '../../parts/form-parts.ts';
import { action, type ConsoleRequest, type Page, page, type RefusedForm } from '../../route.ts';

const PATH = '/claims/limits';

const FIELDS: EntityField<Body<'PATCH /configs/sandbox'>>[] = [
  { name: 'timeoutMs', label: 'Maximum run time, in milliseconds', kind: 'number' },
  { name: 'memoryMb', label: 'Maximum memory, in MB', kind: 'number' },
];

async function showLimits(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const { value } = await request.perform('GET /configs/sandbox');
  return formPage(request, refused, {
    title: 'Limits',
    lead: 'Limits for each run of a claims script in this tenant. They cannot exceed the limits of the service.',
    content: fieldsOf(FIELDS, value, refused),
    submit: 'Save limits',
  });
}

async function setLimits(request: ConsoleRequest) {
  const { perform, submitted } = request;
  await keepChangesOf(request, 'PATCH /configs/sandbox', FIELDS, (await perform('GET /configs/sandbox')).value);
  await perform('PATCH /configs/sandbox', { body: bodyOf(FIELDS, submitted, false) });
  return { to: PATH, flash: { text: 'Limits saved.' } };
}

export const limitRoutes = [page(PATH, showLimits), action(PATH, showLimits, setLimits, 'PATCH /configs/sandbox')];
