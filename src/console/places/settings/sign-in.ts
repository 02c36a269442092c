import { html } from '../../../pages/html.ts';
import { bodyOf, fieldsOf, type ThingField } from '../../entities/entity-fields.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { rawJson } from '../../parts/parts.ts';
import { type Attempt, form, type Page, type Visit } from '../../route.ts';

const PATH = '/settings/sign-in';

const FIELDS: ThingField[] = [
  { name: 'brandName', label: 'Brand name', hint: 'Shown on the sign-in pages.' },
  {
    name: 'color.primaryColor',
    label: 'Brand color',
    hint: '# and six hex digits. It is darkened or lightened where text would not be readable.',
  },
  {
    name: 'signInMode',
    label: 'Registration',
    kind: 'choice',
    options: [
      ['SignInAndRegister', 'Users can create an account'],
      ['SignIn', 'Only existing users can sign in'],
    ],
  },
  { name: 'passwordPolicy.minLength', label: 'Minimum password length', kind: 'number', hint: '8 to 128 characters.' },
  { name: 'passwordPolicy.rejectCommon', label: 'Reject common passwords', kind: 'tick' },
  {
    name: 'mfa.policy',
    label: 'Second factor',
    kind: 'choice',
    options: [
      ['UserControlled', 'Optional'],
      ['Mandatory', 'Required for all users'],
    ],
  },
];

const read = async ({ perform }: Visit) => (await perform('GET /sign-in-exp')).value;

async function show(visit: Visit, attempt?: Attempt): Promise<Page> {
  const settings = await read(visit);
  const content = fieldsOf(FIELDS, settings, attempt);
  return {
    title: 'Sign-in pages',
    lead: 'The appearance and the rules of this tenant’s sign-in pages.',
    content: html`${formOf(visit, { path: PATH, content, submit: 'Save settings', faults: faultsOf(attempt) })}
${rawJson(settings)}`,
  };
}

async function save(visit: Visit) {
  const body = bodyOf(FIELDS, visit.sent, false);
  const { mfa } = await read(visit); // PATCH replaces the member `mfa` as a whole.
  await visit.perform('PATCH /sign-in-exp', {
    body: { ...body, mfa: { ...(mfa as object), ...(body.mfa as object) } },
  });
  return { to: PATH, flash: { text: 'Settings saved.' } };
}

export const signInRoutes = [form(PATH, show, save)];
