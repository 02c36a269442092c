import { html } from '../../../pages/html.ts';
import { ImpersonationPolicy } from '../../../tokens/exchange/impersonation-policy.ts';
import type { Body, Result } from '../../api.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, fieldWith, formPage } from '../../parts/form-parts.ts';
import { keepOthersChanges, openedField } from '../../parts/opened-values.ts';
import { FIRST_PAGE, rangeOf } from '../../parts/parts.ts';
import { action, type ConsoleRequest, type Page, page, type Redirect, type RefusedForm } from '../../route.ts';

export type Policy = Result<'GET /configs/impersonation'>;

const ROUTE = 'PATCH /configs/impersonation';

const { subjectTokenTtl, maxTokenTtl } = ImpersonationPolicy.properties;

/** Lists of roles and applications. */
const ID_LISTS = ['protectedRoleIds', 'allowedActorRoleIds', 'allowedActorApplicationIds'] as const;

/** Rules that can be on or off, with their labels. */
const RULES = [
  ['requireActor', 'Require an actor token in every exchange'],
  ['protectAdministrators', 'Administrators can’t be impersonated'],
  ['endOnReplay', 'End an impersonation if its subject token is used again'],
] as const;

/** Names of the form's fields. */
const FIELDS = [
  ...['subjectTokenTtl', 'maxTokenTtl', 'actorMaxAge', 'requiredAcr', 'requiredContextKeys', 'flags'],
  ...ID_LISTS,
];

/** Returns the policy as form values. */
function textsOf(policy: Policy): URLSearchParams {
  const { subjectTokenTtl, maxTokenTtl, actorMaxAge, requiredAcr, requiredContextKeys } = policy;
  const texts = new URLSearchParams({
    subjectTokenTtl: String(subjectTokenTtl),
    maxTokenTtl: String(maxTokenTtl ?? ''),
    actorMaxAge: String(actorMaxAge ?? ''),
    requiredAcr: requiredAcr ?? '',
    requiredContextKeys: requiredContextKeys.join(', '),
  });
  for (const name of ID_LISTS) for (const id of policy[name]) texts.append(name, id);
  for (const [name] of RULES) if (policy[name]) texts.append('flags', name);
  return texts;
}

async function showPolicy(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const { value: policy } = await request.perform('GET /configs/impersonation');
  const { value: roles } = await request.perform('GET /roles', {
    query: { type: 'User', ...FIRST_PAGE },
  });
  const { value: applications } = await request.perform('GET /applications', {
    query: FIRST_PAGE,
  });
  const own = applications.filter(({ type, isThirdParty }) => type !== 'MachineToMachine' && !isThirdParty);
  const texts = refused?.values ?? textsOf(policy);
  const faults = faultsOf(refused);
  const input = fieldWith(texts, faults);
  /** Checkboxes of the known items, and of selected items beyond the first 100, which are labeled with their ids. */
  const choices = (name: string, legend: string, known: readonly { id: string; name: string }[], hint: string) => {
    const ticked = texts.getAll(name);
    const others = ticked.filter((id) => !known.some((one) => one.id === id)).map((id) => ({ id, name: id }));
    const options = [...known, ...others].map((one) => [one.id, one.name] as const);
    return options.length > 0 && boxes(name, legend, options, { ticked, hint, faults });
  };
  const content = [
    openedField(FIELDS, textsOf(policy), refused?.values),
    input({
      name: 'subjectTokenTtl',
      label: 'Subject token lifetime',
      type: 'number',
      hint: `In seconds, ${rangeOf(subjectTokenTtl)}.`,
    }),
    input({
      name: 'maxTokenTtl',
      label: 'Maximum duration',
      type: 'number',
      isOptional: true,
      hint: `In seconds, ${rangeOf(maxTokenTtl.anyOf[0])}. Leave empty to use the access token lifetime of the resource.`,
    }),
    input({
      name: 'requiredContextKeys',
      label: 'Required context',
      isOptional: true,
      hint: 'Context keys separated by commas. Example: reason, ticketId.',
    }),
    boxes('flags', 'Rules', RULES, { ticked: texts.getAll('flags'), faults }),
    html`${choices('protectedRoleIds', 'Protected roles', roles, 'Users with one of these roles can’t be impersonated.')}`,
    html`${choices('allowedActorRoleIds', 'Allowed actors', roles, 'The actor must have one of these roles. If none is selected, any actor is allowed.')}`,
    html`${choices('allowedActorApplicationIds', 'Allowed actor applications', own, 'The actor must have signed in to one of these applications. If none is selected, any first-party application is allowed. Third-party applications are never allowed.')}`,
    input({
      name: 'actorMaxAge',
      label: 'Actor must have signed in within',
      type: 'number',
      isOptional: true,
      hint: 'In seconds before the exchange.',
    }),
    input({
      name: 'requiredAcr',
      label: 'Required acr of the actor',
      isOptional: true,
      isMono: true,
      hint: 'The acr value that the actor’s sign-in must have, such as the one for two factors. Stronger ones are accepted.',
    }),
  ];
  return formPage(request, refused, {
    title: 'Policy',
    lead: 'Who may act as whom, and under which conditions. Changes apply from the next exchange.',
    content,
    submit: 'Save policy',
  });
}

/** Parses an integer. Returns NaN for any other text, so that the operation refuses it. */
const numberOf = (text: string): number => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN);

function policyOf(sent: URLSearchParams): Body<typeof ROUTE> {
  const text = (name: string) => sent.get(name)?.trim() ?? '';
  const orNull = (name: string) => (text(name) === '' ? null : numberOf(text(name)));
  const flags = sent.getAll('flags');
  const contextKeys = text('requiredContextKeys').match(/[^\s,]+/g) ?? [];
  return {
    subjectTokenTtl: numberOf(text('subjectTokenTtl')),
    maxTokenTtl: orNull('maxTokenTtl'),
    actorMaxAge: orNull('actorMaxAge'),
    requiredAcr: text('requiredAcr') || null,
    requiredContextKeys: [...new Set(contextKeys)],
    ...Object.fromEntries(RULES.map(([name]) => [name, flags.includes(name)])),
    ...Object.fromEntries(ID_LISTS.map((name) => [name, sent.getAll(name)])),
  };
}

async function savePolicy(request: ConsoleRequest): Promise<Redirect> {
  await keepOthersChanges(request, ROUTE, textsOf((await request.perform('GET /configs/impersonation')).value));
  await request.perform(ROUTE, { body: policyOf(request.submitted) });
  return { to: '/impersonations/policy', flash: { text: 'Saved. Applies from the next exchange.' } };
}

const PATH = '/impersonations/policy';

export const policyPages = [
  page(PATH, showPolicy),
  action(PATH, showPolicy, savePolicy, 'PATCH /configs/impersonation'),
];
