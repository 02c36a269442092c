import { html } from '../../../pages/html.ts';
import { SignInSettings } from '../../../sign-in/settings.ts';
import type { Body } from '../../api.ts';
import { bodyOf, type EntityField, fieldsOf, keepChangesOf } from '../../entities/entity-fields.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { rangeOf, rawJson } from '../../parts/parts.ts';
import { action, type ConsoleRequest, type Page, page, type RefusedForm } from '../../route.ts';

const PATH = '/settings/sign-in';
const { passwordPolicy } = SignInSettings.properties;

const FIELDS: EntityField<Body<'PATCH /sign-in-exp'>>[] = [
  {
    name: 'signInMode',
    label: 'Registration',
    kind: 'choice',
    options: [
      ['SignInAndRegister', 'Users can create an account'],
      ['SignIn', 'Only existing users can sign in'],
    ],
  },
  {
    name: 'passwordPolicy.minLength',
    label: 'Minimum password length',
    kind: 'number',
    hint: `${rangeOf(passwordPolicy.properties.minLength)} characters.`,
  },
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

const read = async ({ perform }: ConsoleRequest) => (await perform('GET /sign-in-exp')).value;

async function show(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const settings = await read(request);
  const content = fieldsOf(FIELDS, settings, refused);
  return {
    title: 'Sign-in pages',
    lead: 'Who can sign in, and what it takes.',
    content: html`${formOf(request, { path: PATH, content, submit: 'Save settings', faults: faultsOf(refused) })}
${rawJson(settings)}`,
  };
}

async function save(request: ConsoleRequest) {
  const stored = await read(request);
  await keepChangesOf(request, 'PATCH /sign-in-exp', FIELDS, stored);
  const body = bodyOf(FIELDS, request.submitted, false);
  const { mfa } = stored; // PATCH replaces the member `mfa` as a whole.
  await request.perform('PATCH /sign-in-exp', {
    body: { ...body, mfa: { ...mfa, ...body.mfa } },
  });
  return { to: PATH, flash: { text: 'Settings saved.' } };
}

export const signInRoutes = [page(PATH, show), action(PATH, show, save, 'PATCH /sign-in-exp')];
