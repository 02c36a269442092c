import { html } from '../../../pages/html.ts';
import { buttonLink, formPage } from '../../parts/form-parts.ts';
import { applicationLink, namesOf, userLink } from '../../parts/names.ts';
import { copyable, countOf, facts, rawJson, section, when, withQuery } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, page, type Redirect, type RefusedForm } from '../../route.ts';
import {
  type AtImpersonation,
  actorName,
  endedAt,
  IMPERSONATION,
  isActive,
  readImpersonation,
  reasonOf,
  referencedIds,
  stateOf,
  subjectName,
  ticketOf,
  timeLeft,
  titleOf,
} from './impersonation.ts';

/** Path of the list of this user's impersonations. */
const listPath = (subjectId: string): string => `/impersonations?${new URLSearchParams({ subjectId })}`;

const endAllPath = (subjectId: string): string => `/impersonations/of/${encodeURIComponent(subjectId)}/end`;

async function showImpersonation(request: AtImpersonation): Promise<Page> {
  const one = await readImpersonation(request);
  const { now } = request;
  const names = await namesOf(request, referencedIds([one]));
  const hasTimeLeft = isActive(one, now);
  const { reason: _, ticketId: __, ...otherContext } = one.context;
  return {
    title: titleOf(one, names),
    back: { path: withQuery('/impersonations', request), label: 'Impersonations' },
    actions: hasTimeLeft
      ? html`${buttonLink(request, `/impersonations/${one.id}/end`, 'End impersonation', 'danger')}${buttonLink(request, endAllPath(one.subjectId), 'End all for this user', 'danger')}`
      : undefined,
    content: html`<div id="impersonation" data-live>${facts([
      ['Status', stateOf(one, now)],
      hasTimeLeft ? ['Time left', timeLeft(one, now)] : ['Ended', endedAt(one, now)],
      ['Actor', userLink(request, names, one.actorId)],
      ['User', userLink(request, names, one.subjectId)],
      ['Reason', reasonOf(one)],
      ['Ticket', ticketOf(one)],
      ['Application', applicationLink(request, names, one.applicationId)],
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
${section('Activity', html`<p><a href="${request.to(`/settings/audit?userId=${encodeURIComponent(one.subjectId)}`)}">Audit log entries about ${subjectName(one, names)}</a></p>`)}
${rawJson(one)}`,
    live: ['impersonations'],
    modules: ['console/countdown'],
  };
}

/** The confirmation page, which names the actor and the user. */
async function showEnd(request: AtImpersonation, refused?: RefusedForm): Promise<Page> {
  const one = await readImpersonation(request);
  const names = await namesOf(request, referencedIds([one]));
  return formPage(request, refused, {
    title: `End the impersonation of ${subjectName(one, names)}`,
    back: { path: `/impersonations/${one.id}`, label: titleOf(one, names) },
    content: html`<p>${actorName(one, names) ?? 'The actor'} will stop acting as ${subjectName(one, names)} within a second. This can’t be undone.</p>`,
    submit: 'End impersonation',
    kind: 'danger',
  });
}

async function end({ perform, params }: AtImpersonation): Promise<Redirect> {
  await perform('POST /impersonations/:id/revoke');
  return { to: `/impersonations/${params.id}`, flash: { text: 'Impersonation ended. Its access token is inactive.' } };
}

type AtSubject = ConsoleRequest<{ subjectId: string }>;

async function showEndAll(request: AtSubject, refused?: RefusedForm): Promise<Page> {
  const { subjectId } = request.params;
  const query = { subjectId, active: 'true', page: '1', page_size: '1' };
  const { value, total } = await request.perform('GET /impersonations', { query });
  const names = await namesOf(request, { users: [subjectId], applications: [] });
  const name = names.users.get(subjectId) ?? value[0]?.subjectId ?? subjectId;
  return formPage(request, refused, {
    title: `End all impersonations of ${name}`,
    back: { path: listPath(subjectId), label: `Impersonations of ${name}` },
    content: html`<p>${countOf(total, 'active impersonation')} will end. Unused subject tokens for ${name} will be revoked. This can’t be undone.</p>`,
    submit: 'End all impersonations',
    kind: 'danger',
  });
}

async function endAll(request: AtSubject): Promise<Redirect> {
  const { subjectId } = request.params;
  const { value } = await request.perform('POST /impersonations/revoke', { body: { subjectId } });
  const { impersonations, subjectTokens } = value;
  const text = `Ended ${countOf(impersonations, 'impersonation')} and revoked ${countOf(subjectTokens, 'unused subject token')}.`;
  return { to: listPath(subjectId), flash: { text } };
}

export const impersonationPages = [
  form('/impersonations/of/:subjectId/end', showEndAll, endAll, 'POST /impersonations/revoke'),
  page(IMPERSONATION, showImpersonation),
  form(`${IMPERSONATION}/end`, showEnd, end, 'POST /impersonations/:id/revoke'),
];
