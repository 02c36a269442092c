import { html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { application, namesOf, person } from '../../parts/names.ts';
import { copyable, facts, rawJson, section, when } from '../../parts/parts.ts';
import { type Attempt, form, type Next, type Page, page, type Visit } from '../../route.ts';
import {
  asWhom,
  ended,
  IMPERSONATION,
  type Impersonation,
  isRunning,
  mentions,
  readImpersonation,
  reasonOf,
  stateOf,
  ticketOf,
  timeLeft,
  who,
} from './impersonation.ts';

const endAllPath = (subjectId: string): string => `/impersonations/of/${encodeURIComponent(subjectId)}/end`;

async function showOne(visit: Visit): Promise<Page> {
  const one = await readImpersonation(visit);
  const { now } = visit;
  const names = await namesOf(visit, mentions([one]));
  const runs = isRunning(one, now);
  const { reason: _, ticketId: __, ...besides } = one.context;
  return {
    title: `As ${asWhom(one, names)}`,
    back: { path: '/impersonations', label: 'Impersonations' },
    actions: runs
      ? html`<a class="button danger" href="${visit.to(`/impersonations/${one.id}/end`)}">End</a><a class="button danger" href="${visit.to(endAllPath(one.subjectId))}">End all as ${asWhom(one, names)}</a>`
      : undefined,
    content: html`<div id="impersonation" data-live>${facts([
      ['State', stateOf(one, now)],
      runs ? ['Left', timeLeft(one, now)] : ['Ended', ended(one, now)],
      ['Who', person(visit, names, one.actorId)],
      ['As whom', person(visit, names, one.subjectId)],
      ['Why', reasonOf(one)],
      ['Ticket', ticketOf(one)],
      ['Application', application(visit, names, one.applicationId)],
      one.resource === null
        ? ['Organization', one.organizationId && copyable(one.organizationId)]
        : ['Resource', copyable(one.resource)],
      ['Scope', one.scope && html`<span class="mono">${one.scope}</span>`],
      ['Begun', when(one.issuedAt, now)],
      ['From', one.ip],
      ['With', one.userAgent],
      ['Token (jti)', copyable(one.id)],
      ...(one.revokedBy === null ? [] : [['Ended by', copyable(one.revokedBy)] as const]),
    ])}</div>
${Object.keys(besides).length > 0 && section('Also said', html`<pre class="mono" tabindex="0">${JSON.stringify(besides, null, 2)}</pre>`)}
${section('What happened', html`<p><a href="${visit.to(`/settings/audit?userId=${encodeURIComponent(one.subjectId)}`)}">The audit log of ${asWhom(one, names)}</a></p>`)}
${rawJson(one)}`,
    live: ['impersonations'],
    modules: ['console/countdown'],
  };
}

/** Asks by naming who acts as whom. */
async function showEnd(visit: Visit, attempt?: Attempt): Promise<Page> {
  const one = await readImpersonation(visit);
  const names = await namesOf(visit, mentions([one]));
  const path = `/impersonations/${one.id}`;
  return {
    title: `End the impersonation of ${asWhom(one, names)}`,
    back: { path, label: `As ${asWhom(one, names)}` },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>${who(one, names)} stops acting as ${asWhom(one, names)} within a second. This cannot be undone.</p>`,
      submit: `End ${asWhom(one, names)}`,
      kind: 'danger',
      cancel: path,
      faults: faultsOf(attempt),
    }),
  };
}

async function end(visit: Visit): Promise<Next> {
  await visit.perform('POST /impersonations/:id/revoke', { params: visit.params });
  return { to: `/impersonations/${visit.params.id}`, flash: { text: 'Ended. Its token is inactive.' } };
}

async function showEndAll(visit: Visit, attempt?: Attempt): Promise<Page> {
  const subjectId = visit.params.subjectId ?? '';
  const query = { subjectId, active: 'true', page: '1', page_size: '1' };
  const { value, total } = await visit.perform<Impersonation[]>('GET /impersonations', { query });
  const names = await namesOf(visit, { people: [subjectId], applications: [] });
  const name = names.people.get(subjectId) ?? value[0]?.subjectId ?? subjectId;
  const back = `/impersonations?${new URLSearchParams({ subjectId })}`;
  return {
    title: `End all as ${name}`,
    back: { path: back, label: `Impersonations of ${name}` },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>${total === 1 ? 'One runs' : `${total} run`} now. Nobody acts as ${name} any more, and subject tokens that were not used yet are revoked. This cannot be undone.</p>`,
      submit: `End all as ${name}`,
      kind: 'danger',
      cancel: back,
      faults: faultsOf(attempt),
    }),
  };
}

async function endAll(visit: Visit): Promise<Next> {
  const { subjectId = '' } = visit.params;
  const { value } = await visit.perform<{ impersonations: number; subjectTokens: number }>(
    'POST /impersonations/revoke',
    {
      body: { subjectId },
    },
  );
  const { impersonations, subjectTokens } = value;
  const text = `Ended: impersonations ${impersonations}, unused subject tokens ${subjectTokens}.`;
  return { to: `/impersonations?${new URLSearchParams({ subjectId })}`, flash: { text } };
}

export const impersonationPages = [
  form('/impersonations/of/:subjectId/end', showEndAll, endAll),
  page(IMPERSONATION, showOne),
  form(`${IMPERSONATION}/end`, showEnd, end),
];
