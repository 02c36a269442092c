import { html } from '../../../pages/html.ts';
import { bodyOf, fieldsOf, type ThingField } from '../../entities/entity-fields.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { rawJson } from '../../parts/parts.ts';
import { type Attempt, form, type Page, type Visit } from '../../route.ts';

const PATH = '/settings/sign-in';

const FIELDS: ThingField[] = [
  { name: 'brandName', label: 'Brand', hint: 'The name on the sign-in pages.' },
  {
    name: 'color.primaryColor',
    label: 'Colour',
    hint: '# and six digits. It is made darker or lighter where it could not be read.',
  },
  {
    name: 'signInMode',
    label: 'New accounts',
    kind: 'choice',
    options: [
      ['SignInAndRegister', 'People can make an account'],
      ['SignIn', 'Only people who have one can sign in'],
    ],
  },
  { name: 'passwordPolicy.minLength', label: 'Shortest password', kind: 'number', hint: '8 to 128 characters.' },
  { name: 'passwordPolicy.rejectCommon', label: 'Refuse the most common passwords', kind: 'tick' },
  {
    name: 'mfa.policy',
    label: 'Second factor',
    kind: 'choice',
    options: [
      ['UserControlled', 'People choose for themselves'],
      ['Mandatory', 'Everyone has one'],
    ],
  },
];

const read = async ({ perform }: Visit) => (await perform('GET /sign-in-exp')).value;

async function show(visit: Visit, attempt?: Attempt): Promise<Page> {
  const settings = await read(visit);
  const content = fieldsOf(FIELDS, settings, attempt);
  return {
    title: 'Sign-in pages',
    lead: 'What people see when they sign in to this tenant, and what is asked of them.',
    content: html`${formOf(visit, { path: PATH, content, submit: 'Save', faults: faultsOf(attempt) })}
${rawJson(settings)}`,
  };
}

async function save(visit: Visit) {
  const body = bodyOf(FIELDS, visit.sent, false);
  const { mfa } = await read(visit); // A member that is given replaces the whole of it.
  await visit.perform('PATCH /sign-in-exp', {
    body: { ...body, mfa: { ...(mfa as object), ...(body.mfa as object) } },
  });
  return { to: PATH, flash: { text: 'Saved.' } };
}

export const signInRoutes = [form(PATH, show, save)];
