import { type Html, html } from '../../../pages/html.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { namesOf, person } from '../../parts/names.ts';
import { note, pageQuery, pager, state, table, when } from '../../parts/parts.ts';
import { type Attempt, action, type Next, type Page, page, type Visit } from '../../route.ts';

interface SubjectToken {
  id: string;
  userId: string;
  creatorId: string;
  context: Record<string, unknown>;
  createdAt: number;
  expiresAt: number;
  consumedAt: number | null;
  revokedAt: number | null;
}

const isUsable = ({ consumedAt, revokedAt, expiresAt }: SubjectToken, now: number): boolean =>
  consumedAt === null && revokedAt === null && expiresAt > now;

function stateOf(token: SubjectToken, now: number): Html {
  if (token.consumedAt !== null) return state('ok', 'Used');
  if (token.revokedAt !== null) return state('warn', 'Revoked');
  return token.expiresAt > now ? state('info', 'Waits to be used') : state('off', 'Expired');
}

const reasonOf = ({ context: { reason, ticketId } }: SubjectToken): string =>
  [reason, ticketId].filter((said) => typeof said === 'string').join(' · ');

async function showTokens(visit: Visit, attempt?: Attempt): Promise<Page> {
  const { now } = visit;
  const { value: tokens, total } = await visit.perform<SubjectToken[]>('GET /subject-tokens', {
    query: pageQuery(visit),
  });
  const people = tokens.flatMap(({ userId, creatorId }) => [userId, creatorId]);
  const names = await namesOf(visit, { people, applications: tokens.map(({ creatorId }) => creatorId) });
  const creator = (id: string) => names.applications.get(id) ?? names.people.get(id) ?? id;
  return {
    title: 'Subject tokens',
    lead: 'Each lets one exchange act as a user, once. The token itself is kept nowhere.',
    actions: html`<a class="button primary" href="${visit.to('/impersonations/new')}">Act as a user</a>`,
    content: html`${attempt && note('bad', attempt.error.message)}
<div id="tokens" data-live>${table({
      caption: 'Subject tokens, newest first',
      rows: tokens,
      empty: 'No subject token was asked for yet.',
      columns: [
        { label: 'As whom', cell: ({ userId }) => person(visit, names, userId) },
        { label: 'State', cell: (token) => stateOf(token, now) },
        { label: 'Asked for by', cell: ({ creatorId }) => creator(creatorId) },
        { label: 'Why', cell: reasonOf },
        { label: 'When', cell: ({ createdAt }) => when(createdAt, now) },
        {
          label: '',
          cell: (token) =>
            isUsable(token, now) && buttonForm(visit, `/impersonations/tokens/${token.id}/revoke`, 'Revoke'),
        },
      ],
    })}
${pager(visit, total)}</div>`,
    live: ['subjectTokens'],
  };
}

async function revoke(visit: Visit): Promise<Next> {
  await visit.perform('DELETE /subject-tokens/:id', { params: visit.params });
  return {
    to: '/impersonations/tokens',
    flash: { text: 'Revoked: it can no longer be exchanged. Ask for another where it was right.' },
  };
}

export const subjectTokenPages = [
  page('/impersonations/tokens', showTokens),
  action('/impersonations/tokens/:id/revoke', showTokens, revoke),
];
