import { bodyOf, fieldsOf, type ThingField } from '../../entities/entity-fields.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { type Attempt, form, type Page, type Visit } from '../../route.ts';

const PATH = '/claims/limits';

const FIELDS: ThingField[] = [
  { name: 'timeoutMs', label: 'Time of a run, in milliseconds', kind: 'number' },
  { name: 'memoryMb', label: 'Memory of a run, in MB', kind: 'number' },
];

async function showLimits(visit: Visit, attempt?: Attempt): Promise<Page> {
  const { value } = await visit.perform('GET /configs/sandbox');
  return {
    title: 'Limits',
    lead: 'What a script of this tenant may use. They can be lowered, never raised above what the service allows.',
    content: formOf(visit, {
      path: PATH,
      content: fieldsOf(FIELDS, value, attempt),
      submit: 'Save',
      faults: faultsOf(attempt),
    }),
  };
}

async function setLimits({ perform, sent }: Visit) {
  await perform('PATCH /configs/sandbox', { body: bodyOf(FIELDS, sent, false) });
  return { to: PATH, flash: { text: 'Saved.' } };
}

export const limitRoutes = [form(PATH, showLimits, setLimits)];
