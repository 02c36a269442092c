import { recordAudit } from '../../audit/record.ts';
import { project } from '../../base/project.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { User } from '../../entities.ts';
import type { EventType } from '../../events/catalogue.ts';
import { recordEvent } from '../../events/record.ts';
import { userView } from '../../events/user-view.ts';
import { type Flow, progressOf } from './flow.ts';

/** Returns the interaction's public id. The account page has no interaction, so the session's id takes its place. */
const sessionIdOf = ({ isAccountPage, sessionUid, publicId }: Flow) => (isAccountPage ? sessionUid : publicId);

/** The facts that every event of the pages includes. */
function interactionOf(flow: Flow) {
  const { application, isAccountPage } = flow;
  return {
    interactionEvent: isAccountPage ? undefined : progressOf(flow).event,
    sessionId: sessionIdOf(flow),
    application: application && {
      id: application.id,
      type: application.type,
      name: application.name,
      description: application.description,
    },
  };
}

/** Records `PostRegister`, `PostSignIn` or `PostResetPassword`. */
export async function recordInteractionEvent(
  store: TenantStore,
  type: EventType,
  user: UserRow,
  flow: Flow,
): Promise<void> {
  const { userAgent, ip: userIp } = flow.facts;
  const view = project(User, await userView(store, user));
  const payload = { ...interactionOf(flow), userAgent, userIp, userId: user.id, user: view };
  await recordEvent(store, type, {}, payload, flow.now);
}

/** Records `User.Created` or `User.Data.Updated` as the Management API does, plus the facts of the interaction. */
export async function recordUserEvent(store: TenantStore, type: EventType, user: UserRow, flow: Flow): Promise<void> {
  const payload = { ...flow.facts, ...interactionOf(flow), applicationId: flow.application?.id };
  await recordEvent(store, type, { data: project(User, await userView(store, user)) }, payload, flow.now);
}

/** Records in the audit log what users did, or tried to do, with their own account. */
export async function recordUserAudit(
  store: TenantStore,
  key: string,
  userId: string | undefined,
  flow: Flow,
  payload: Record<string, unknown> = {},
  result: 'Success' | 'Error' = 'Success',
): Promise<void> {
  await recordAudit(store, {
    key,
    result,
    applicationId: flow.application?.id,
    userId,
    actorId: userId,
    ...flow.facts,
    requestId: flow.requestId,
    payload: { sessionId: sessionIdOf(flow), ...payload },
    createdAt: flow.now,
  });
}
