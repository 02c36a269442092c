import { bodyOf, fieldsOf, type ThingField } from '../../entities/entity-fields.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { type Attempt, form, type Page, type Visit } from '../../route.ts';

const PATH = '/claims/limits';

const FIELDS: ThingField[] = [
  { name: 'timeoutMs', label: 'Maximum run time, in milliseconds', kind: 'number' },
  { name: 'memoryMb', label: 'Maximum memory, in MB', kind: 'number' },
];

async function showLimits(visit: Visit, attempt?: Attempt): Promise<Page> {
  const { value } = await visit.perform('GET /configs/sandbox');
  return {
    title: 'Limits',
    lead: 'Limits for each run of a claims script in this tenant. They cannot exceed the limits of the service.',
    content: formOf(visit, {
      path: PATH,
      content: fieldsOf(FIELDS, value, attempt),
      submit: 'Save limits',
      faults: faultsOf(attempt),
    }),
  };
}

async function setLimits({ perform, sent }: Visit) {
  await perform('PATCH /configs/sandbox', { body: bodyOf(FIELDS, sent, false) });
  return { to: PATH, flash: { text: 'Limits saved.' } };
}

export const limitRoutes = [form(PATH, showLimits, setLimits)];
