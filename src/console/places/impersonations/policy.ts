import { html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, field, formOf } from '../../parts/form-parts.ts';
import { type Attempt, form, type Next, type Page, type Visit } from '../../route.ts';

/** As its row of the Management API answers it. Times are seconds. */
export interface Policy {
  subjectTokenTtl: number;
  maxTokenTtl: number | null;
  requireActor: boolean;
  requiredContextKeys: string[];
  protectedRoleIds: string[];
  allowedActorRoleIds: string[];
  allowedActorApplicationIds: string[];
  actorMaxAge: number | null;
  requiredAcr: string | null;
  endOnReplay: boolean;
  protectAdministrators: boolean;
}

/** A role or an application, as a box to tick. */
interface Choice {
  id: string;
  name: string;
}

const ROLES = { type: 'User', page: '1', page_size: '100' };
const APPLICATIONS = { page: '1', page_size: '100' };

interface Application extends Choice {
  type: string;
  isThirdParty: boolean;
}

/** What stands in the fields, one text each: as typed, or as it is. */
function textsOf(policy: Policy): URLSearchParams {
  const { subjectTokenTtl, maxTokenTtl, actorMaxAge, requiredAcr, requiredContextKeys } = policy;
  const texts = new URLSearchParams({
    subjectTokenTtl: String(subjectTokenTtl),
    maxTokenTtl: String(maxTokenTtl ?? ''),
    actorMaxAge: String(actorMaxAge ?? ''),
    requiredAcr: requiredAcr ?? '',
    requiredContextKeys: requiredContextKeys.join(', '),
  });
  for (const id of policy.protectedRoleIds) texts.append('protectedRoleIds', id);
  for (const id of policy.allowedActorRoleIds) texts.append('allowedActorRoleIds', id);
  for (const id of policy.allowedActorApplicationIds) texts.append('allowedActorApplicationIds', id);
  if (policy.requireActor) texts.append('flags', 'requireActor');
  if (policy.endOnReplay) texts.append('flags', 'endOnReplay');
  if (policy.protectAdministrators) texts.append('flags', 'protectAdministrators');
  return texts;
}

async function showPolicy(visit: Visit, attempt?: Attempt): Promise<Page> {
  const { value: policy } = await visit.perform<Policy>('GET /configs/impersonation');
  const { value: roles } = await visit.perform<Choice[]>('GET /roles', { query: ROLES });
  const { value: applications } = await visit.perform<Application[]>('GET /applications', { query: APPLICATIONS });
  const own = applications.filter(({ type, isThirdParty }) => type !== 'MachineToMachine' && !isThirdParty);
  const texts = attempt?.typed ?? textsOf(policy);
  const faults = faultsOf(attempt);
  const text = (name: string) => texts.get(name) ?? '';
  /** One that is not among the first hundred stays chosen, by its id. */
  const choices = (name: string, legend: string, known: readonly Choice[], hint: string) => {
    const ticked = texts.getAll(name);
    const others = ticked.filter((id) => !known.some((one) => one.id === id)).map((id) => ({ id, name: id }));
    const options = [...known, ...others].map((one) => [one.id, one.name] as const);
    return options.length > 0 && boxes(name, legend, options, { ticked, hint, faults });
  };
  const content = [
    field({
      name: 'subjectTokenTtl',
      label: 'A subject token can be used for',
      type: 'number',
      hint: 'Seconds, 60 to 3600.',
      value: text('subjectTokenTtl'),
      faults,
    }),
    field({
      name: 'maxTokenTtl',
      label: 'An impersonation lasts at most',
      type: 'number',
      isOptional: true,
      hint: 'Seconds, 60 to 86400. Empty: as long as tokens of the resource do.',
      value: text('maxTokenTtl'),
      faults,
    }),
    field({
      name: 'requiredContextKeys',
      label: 'What must be said',
      isOptional: true,
      hint: 'Keys of the context, with commas between: reason, ticketId.',
      value: text('requiredContextKeys'),
      faults,
    }),
    boxes(
      'flags',
      'Always',
      [
        ['requireActor', 'Whoever acts proves who they are, with a token of their own'],
        ['protectAdministrators', 'Administrators cannot be impersonated'],
        ['endOnReplay', 'A second use of a subject token ends what its first use began'],
      ],
      { ticked: texts.getAll('flags') },
    ),
    html`${choices('protectedRoleIds', 'Nobody acts as', roles, 'Whoever holds one of these roles cannot be acted for.')}`,
    html`${choices('allowedActorRoleIds', 'Only these act', roles, 'None chosen: whoever the application lets.')}`,
    html`${choices('allowedActorApplicationIds', 'Actors must sign in to', own, 'None chosen: any of your own applications. Applications of third parties never count.')}`,
    field({
      name: 'actorMaxAge',
      label: 'Whoever acts signed in within',
      type: 'number',
      isOptional: true,
      hint: 'Seconds before the exchange.',
      value: text('actorMaxAge'),
      faults,
    }),
    field({
      name: 'requiredAcr',
      label: 'Their sign-in has at least',
      isOptional: true,
      isMono: true,
      hint: 'An acr value, such as one that stands for two factors.',
      value: text('requiredAcr'),
      faults,
    }),
  ];
  return {
    title: 'Policy',
    lead: 'Who may act as whom, and what they must say. It holds from the next exchange on.',
    content: formOf(visit, { path: visit.path, content, submit: 'Save', faults }),
  };
}

/** What is no number goes on as it is: validation says what to do about it. */
const numberOf = (text: string): number | string => (/^-?\d+$/.test(text) ? Number(text) : text);

function policyOf(sent: URLSearchParams) {
  const text = (name: string) => sent.get(name)?.trim() ?? '';
  const orNull = (name: string) => (text(name) === '' ? null : numberOf(text(name)));
  const flags = sent.getAll('flags');
  return {
    subjectTokenTtl: numberOf(text('subjectTokenTtl')),
    maxTokenTtl: orNull('maxTokenTtl'),
    actorMaxAge: orNull('actorMaxAge'),
    requiredAcr: text('requiredAcr') || null,
    requiredContextKeys: [
      ...new Set(
        text('requiredContextKeys')
          .split(/[\s,]+/)
          .filter(Boolean),
      ),
    ],
    requireActor: flags.includes('requireActor'),
    endOnReplay: flags.includes('endOnReplay'),
    protectAdministrators: flags.includes('protectAdministrators'),
    protectedRoleIds: sent.getAll('protectedRoleIds'),
    allowedActorRoleIds: sent.getAll('allowedActorRoleIds'),
    allowedActorApplicationIds: sent.getAll('allowedActorApplicationIds'),
  };
}

async function savePolicy(visit: Visit): Promise<Next> {
  await visit.perform('PATCH /configs/impersonation', { body: policyOf(visit.sent) });
  return { to: '/impersonations/policy', flash: { text: 'Saved. It holds from the next exchange on.' } };
}

export const policyPage = form('/impersonations/policy', showPolicy, savePolicy);
