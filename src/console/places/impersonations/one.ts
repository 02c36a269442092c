import { html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { application, namesOf, person } from '../../parts/names.ts';
import { copyable, facts, rawJson, section, when } from '../../parts/parts.ts';
import { type Attempt, form, type Next, type Page, page, type Visit } from '../../route.ts';
import {
  actorName,
  ended,
  IMPERSONATION,
  type Impersonation,
  isActive,
  mentions,
  readImpersonation,
  reasonOf,
  stateOf,
  subjectName,
  ticketOf,
  timeLeft,
  titleOf,
} from './impersonation.ts';

const endAllPath = (subjectId: string): string => `/impersonations/of/${encodeURIComponent(subjectId)}/end`;

async function showOne(visit: Visit): Promise<Page> {
  const one = await readImpersonation(visit);
  const { now } = visit;
  const names = await namesOf(visit, mentions([one]));
  const hasTimeLeft = isActive(one, now);
  const { reason: _, ticketId: __, ...otherContext } = one.context;
  return {
    title: titleOf(one, names),
    back: { path: '/impersonations', label: 'Impersonations' },
    actions: hasTimeLeft
      ? html`<a class="button danger" href="${visit.to(`/impersonations/${one.id}/end`)}">End impersonation</a><a class="button danger" href="${visit.to(endAllPath(one.subjectId))}">End all for this user</a>`
      : undefined,
    content: html`<div id="impersonation" data-live>${facts([
      ['Status', stateOf(one, now)],
      hasTimeLeft ? ['Time left', timeLeft(one, now)] : ['Ended', ended(one, now)],
      ['Actor', person(visit, names, one.actorId)],
      ['User', person(visit, names, one.subjectId)],
      ['Reason', reasonOf(one)],
      ['Ticket', ticketOf(one)],
      ['Application', application(visit, names, one.applicationId)],
      one.resource === null
        ? ['Organization', one.organizationId && copyable(one.organizationId)]
        : ['Resource', copyable(one.resource)],
      ['Scope', one.scope && html`<span class="mono">${one.scope}</span>`],
      ['Started', when(one.issuedAt, now)],
      ['IP address', one.ip],
      ['User agent', one.userAgent],
      ['Token ID (jti)', copyable(one.id)],
      ...(one.revokedBy === null ? [] : [['Revoked by', copyable(one.revokedBy)] as const]),
    ])}</div>
${Object.keys(otherContext).length > 0 && section('Other context', html`<pre class="mono" tabindex="0">${JSON.stringify(otherContext, null, 2)}</pre>`)}
${section('Activity', html`<p><a href="${visit.to(`/settings/audit?userId=${encodeURIComponent(one.subjectId)}`)}">Audit log entries about ${subjectName(one, names)}</a></p>`)}
${rawJson(one)}`,
    live: ['impersonations'],
    modules: ['console/countdown'],
  };
}

/** The confirmation page, which names the actor and the user. */
async function showEnd(visit: Visit, attempt?: Attempt): Promise<Page> {
  const one = await readImpersonation(visit);
  const names = await namesOf(visit, mentions([one]));
  const path = `/impersonations/${one.id}`;
  return {
    title: `End the impersonation of ${subjectName(one, names)}`,
    back: { path, label: titleOf(one, names) },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>${actorName(one, names) ?? 'The actor'} will stop acting as ${subjectName(one, names)} within a second. This can’t be undone.</p>`,
      submit: 'End impersonation',
      kind: 'danger',
      cancel: path,
      faults: faultsOf(attempt),
    }),
  };
}

async function end(visit: Visit): Promise<Next> {
  await visit.perform('POST /impersonations/:id/revoke', { params: visit.params });
  return {
    to: `/impersonations/${visit.params.id}`,
    flash: { text: 'Impersonation ended. Its access token is inactive.' },
  };
}

const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

async function showEndAll(visit: Visit, attempt?: Attempt): Promise<Page> {
  const subjectId = visit.params.subjectId ?? '';
  const query = { subjectId, active: 'true', page: '1', page_size: '1' };
  const { value, total } = await visit.perform<Impersonation[]>('GET /impersonations', { query });
  const names = await namesOf(visit, { people: [subjectId], applications: [] });
  const name = names.people.get(subjectId) ?? value[0]?.subjectId ?? subjectId;
  const back = `/impersonations?${new URLSearchParams({ subjectId })}`;
  return {
    title: `End all impersonations of ${name}`,
    back: { path: back, label: `Impersonations of ${name}` },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>${countOf(total, 'active impersonation')} will end. Unused subject tokens for ${name} will be revoked. This can’t be undone.</p>`,
      submit: 'End all impersonations',
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
  const text = `Ended ${countOf(impersonations, 'impersonation')} and revoked ${countOf(subjectTokens, 'unused subject token')}.`;
  return { to: `/impersonations?${new URLSearchParams({ subjectId })}`, flash: { text } };
}

export const impersonationPages = [
  form('/impersonations/of/:subjectId/end', showEndAll, endAll),
  page(IMPERSONATION, showOne),
  form(`${IMPERSONATION}/end`, showEnd, end),
];
