import { type Html, html } from '../../../pages/html.ts';
import type { Item } from '../../api.ts';
import { buttonForm, buttonLink } from '../../parts/form-parts.ts';
import { namesOf, userLink } from '../../parts/names.ts';
import { note, pageQuery, pager, state, table, when } from '../../parts/parts.ts';
import { action, type ConsoleRequest, type Page, page, type Redirect, type RefusedForm } from '../../route.ts';

type SubjectToken = Item<'GET /subject-tokens'>;

const isUsable = ({ consumedAt, revokedAt, expiresAt }: SubjectToken, now: number): boolean =>
  consumedAt === null && revokedAt === null && expiresAt > now;

function stateOf(token: SubjectToken, now: number): Html {
  if (token.consumedAt !== null) return state('ok', 'Used');
  if (token.revokedAt !== null) return state('warn', 'Revoked');
  return token.expiresAt > now ? state('info', 'Unused') : state('off', 'Expired');
}

const reasonOf = ({ context: { reason, ticketId } }: SubjectToken): string =>
  [reason, ticketId].filter((value) => typeof value === 'string').join(' · ');

async function showTokens(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const { now } = request;
  const { value: tokens, total } = await request.perform('GET /subject-tokens', {
    query: pageQuery(request),
  });
  const users = tokens.flatMap(({ userId, creatorId }) => [userId, creatorId]);
  const names = await namesOf(request, { users, applications: tokens.map(({ creatorId }) => creatorId) });
  const creator = (id: string) => names.applications.get(id) ?? names.users.get(id) ?? id;
  return {
    title: 'Subject tokens',
    lead: 'Single-use tokens that start an impersonation. The token itself is never stored.',
    actions: buttonLink(request, '/impersonations/new', 'Act as a user', 'primary'),
    content: html`${refused && note('bad', refused.error.message)}
<div id="tokens" data-live>${table({
      caption: 'Subject tokens, newest first',
      rows: tokens,
      empty: 'No subject tokens yet.',
      columns: [
        { label: 'User', cell: ({ userId }) => userLink(request, names, userId) },
        { label: 'Status', cell: (token) => stateOf(token, now) },
        { label: 'Created by', cell: ({ creatorId }) => creator(creatorId) },
        { label: 'Reason', cell: reasonOf },
        { label: 'Created', cell: ({ createdAt }) => when(createdAt, now) },
        {
          label: '',
          cell: (token) =>
            isUsable(token, now) && buttonForm(request, `/impersonations/tokens/${token.id}/revoke`, 'Revoke token'),
        },
      ],
    })}
${pager(request, total)}</div>`,
    live: ['subjectTokens'],
  };
}

async function revoke(request: ConsoleRequest<{ id: string }>): Promise<Redirect> {
  await request.perform('DELETE /subject-tokens/:id');
  return { to: '/impersonations/tokens', flash: { text: 'Subject token revoked. It can no longer be exchanged.' } };
}

export const subjectTokenPages = [
  page('/impersonations/tokens', showTokens),
  action('/impersonations/tokens/:id/revoke', showTokens, revoke, 'DELETE /subject-tokens/:id'),
];
