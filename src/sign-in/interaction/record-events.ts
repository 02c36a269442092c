import { recordAudit } from '../../audit/record.ts';
import { project } from '../../base/project.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ApplicationRow, UserRow } from '../../database/tables/index.ts';
import { User } from '../../entities.ts';
import type { EventType } from '../../events/catalogue.ts';
import { recordEvent } from '../../events/record.ts';
import { userView } from '../../events/user-view.ts';
import type { ClientFacts } from '../../http/context.ts';
import type { InteractionEvent } from './progress.ts';

/** The facts that every event and audit row of the pages includes. */
export interface EventContext {
  facts: ClientFacts;
  requestId: string;
  now: number;
  sessionId: string;
  /** Undefined on the account page. */
  interactionEvent?: InteractionEvent;
  application: ApplicationRow | undefined;
}

const applicationOf = ({ application }: EventContext) =>
  application && {
    id: application.id,
    type: application.type,
    name: application.name,
    description: application.description,
  };

/** Records `PostRegister`, `PostSignIn` or `PostResetPassword`. */
export async function recordInteractionEvent(
  store: TenantStore,
  type: EventType,
  user: UserRow,
  context: EventContext,
): Promise<void> {
  const { facts, now, sessionId, interactionEvent } = context;
  const payload = {
    interactionEvent,
    sessionId,
    userAgent: facts.userAgent,
    userId: user.id,
    userIp: facts.ip,
    user: project(User, await userView(store, user)),
    application: applicationOf(context),
  };
  await recordEvent(store, type, {}, payload, now);
}

/** Records `User.Created` or `User.Data.Updated` as the Management API does, plus the facts of the interaction. */
export async function recordUserEvent(
  store: TenantStore,
  type: EventType,
  user: UserRow,
  context: EventContext,
): Promise<void> {
  const { facts, now, sessionId, interactionEvent, application } = context;
  const payload = {
    ...facts,
    interactionEvent,
    sessionId,
    applicationId: application?.id,
    application: applicationOf(context),
  };
  await recordEvent(store, type, { data: project(User, await userView(store, user)) }, payload, now);
}

/** Records in the audit log what users did, or tried to do, with their own account. */
export async function recordUserAudit(
  store: TenantStore,
  key: string,
  userId: string | undefined,
  context: EventContext,
  payload: Record<string, unknown> = {},
  result: 'Success' | 'Error' = 'Success',
): Promise<void> {
  await recordAudit(store, {
    key,
    result,
    applicationId: context.application?.id,
    userId,
    actorId: userId,
    ...context.facts,
    requestId: context.requestId,
    payload: { sessionId: context.sessionId, ...payload },
    createdAt: context.now,
  });
}
