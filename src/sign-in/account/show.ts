import type { Provider } from 'oidc-provider';
import type { Html } from '../../pages/html.ts';
import { canIdentify, identityIn, pendingCode } from '../actions.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import { columnOf } from '../interaction/identifiers.ts';
import { accountPage, confirmationPage, editIdentifierPage, editNamePage, editPasswordPage } from '../pages/account.ts';
import type { FormView } from '../pages/layout.ts';
import { offeredConnectors } from '../proofs/connectors.ts';
import { factorsOf } from '../proofs/factors.ts';
import { ssoTargetsOf } from '../proofs/single-sign-on.ts';
import { codeStep, enrolmentPage } from '../routes/steps.ts';
import type { IdentifierType } from '../settings.ts';
import type { OpenAccount } from './open-account.ts';

export const IDENTIFIERS: IdentifierType[] = ['username', 'email', 'phone'];

/** The query of the page, set by the link that the user followed. */
type PageQuery = Readonly<Record<string, unknown>>;

export interface Refused {
  fault: string;
  code: string;
  typed: string | undefined;
}

/** Returns the page that `query` names; by default the overview. */
export async function accountHtml(account: OpenAccount, query: PageQuery, refused?: Refused): Promise<Html> {
  const { flow, user } = account;
  const { edit, add, remove, unlink, link, code } = query;
  const view = { ...account.view, fault: refused?.fault };
  const pending = pendingCode(flow);
  if (code !== undefined && pending) return codeStep(flow, view, pending);
  if (edit === 'name') return editNamePage({ ...view, value: refused?.typed ?? user.name ?? undefined });
  if (edit === 'password') {
    return editPasswordPage({
      ...view,
      hasPassword: user.passwordHash !== null,
      minLength: flow.settings.passwordPolicy.minLength,
      isCurrentWrong: refused?.code === 'session.invalid_credentials',
    });
  }
  const type = IDENTIFIERS.find((one) => one === edit);
  if (type) return editIdentifierPage({ ...view, type, value: refused?.typed ?? user[columnOf[type]] ?? undefined });
  if (typeof add === 'string' && flow.settings.mfa.factors.some((factor) => factor === add)) {
    return enrolmentPage(flow, view, flow.settings.mfa.factors, add);
  }
  const factor = typeof remove === 'string' && (await factorsOf(flow.store, user.id)).find(({ id }) => id === remove);
  const { account: texts, enrol } = view.t;
  if (factor) {
    const title = texts.removeTitle(enrol.names[factor.type]);
    return confirmationPage({ ...view, step: 'remove', id: factor.id, title, label: texts.remove });
  }
  const pendingLink = progressOf(flow).verifications.find(({ id }) => id === link);
  if (pendingLink?.type === 'Social' && pendingLink.isVerified) {
    const { target, details } = identityIn(pendingLink);
    const name = await nameOf(flow, target);
    const lead = texts.linkLead(identityName(details), name);
    const title = texts.linkTitle(name);
    return confirmationPage({ ...view, step: 'link', id: pendingLink.id, title, label: texts.linkSubmit, lead });
  }
  const linked =
    typeof unlink === 'string' && (await flow.store.find('userIdentities', { userId: user.id, target: unlink }));
  if (linked) {
    const { target, details } = linked;
    const lead = texts.unlinkLead(identityName(details));
    const title = texts.removeTitle(await nameOf(flow, target));
    return confirmationPage({ ...view, step: 'unlink', id: target, title, label: texts.remove, lead });
  }
  return overview(account, view, 'saved' in query);
}

/** The name or address by which users know their account at a provider. */
const identityName = ({ email, name, id }: Record<string, unknown>): string => String(email ?? name ?? id ?? '');

const nameOf = async ({ store }: Flow, target: string): Promise<string> =>
  (await store.find('connectors', { target }))?.name ?? target;

async function overview(account: OpenAccount, view: FormView, isSaved: boolean): Promise<Html> {
  const { flow, user, provider } = account;
  const { store, settings } = flow;
  const factors = await factorsOf(store, user.id);
  const linked = await store.from('userIdentities').where({ userId: user.id }).select('target', 'details');
  const bound = await ssoTargetsOf(store, user.id);
  const connectors = await offeredConnectors(store);
  const isLinked = (target: string) => linked.some((identity) => identity.target === target);
  return accountPage({
    ...view,
    isSaved,
    name: user.name,
    identifiers: IDENTIFIERS.map((type) => ({ type, value: user[columnOf[type]] })).filter(
      ({ type, value }) => value !== null || canIdentify(flow, type),
    ),
    hasPassword: user.passwordHash !== null,
    linked: await Promise.all(
      linked.map(async ({ target, details }) => ({
        target,
        name: await nameOf(flow, target),
        identity: identityName(details),
        isRemovable: !bound.includes(target),
      })),
    ),
    linkable: connectors.filter(({ target }) => !isLinked(target)),
    factors: factors.map(({ id, type, createdAt, details }) => ({
      id,
      type,
      createdAt,
      remaining: typeof details.remaining === 'number' ? details.remaining : undefined,
    })),
    offered: settings.mfa.factors.filter((type) => type === 'WebAuthn' || !factors.some((held) => held.type === type)),
    sessions: await sessionsOf(provider, flow, String(progressOf(flow).userId)),
  });
}

/** Further sessions are not listed, but *Sign out everywhere else* ends them too. */
const MAX_LISTED = 20;

/** Returns at most `MAX_LISTED` sessions of a user: that of this browser first, then the newest. */
async function sessionsOf(provider: Provider, { store, sessionUid, now }: Flow, userId: string) {
  const rows = await store
    .from('oidcPayloads')
    .where({ model: 'Session', accountId: userId })
    .where('expiresAt', '>', now)
    .limit(MAX_LISTED)
    .select('uid');
  const sessions = await Promise.all(
    rows.map(async ({ uid }) => {
      const session = uid ? await provider.Session.findByUid(uid) : undefined;
      return {
        isThis: uid === sessionUid,
        since: Number((session as { loginTs?: number } | undefined)?.loginTs ?? 0) * 1000,
      };
    }),
  );
  return sessions.sort((one, other) => Number(other.isThis) - Number(one.isThis) || other.since - one.since);
}
