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

/** Who asked, from where, in which interaction or session: the facts of every event of the pages. */
export interface Occasion {
  facts: ClientFacts;
  requestId: string;
  now: number;
  sessionId: string;
  /** Absent on the account page. */
  interactionEvent?: InteractionEvent;
  application: ApplicationRow | undefined;
}

const applicationOf = ({ application }: Occasion) =>
  application && {
    id: application.id,
    type: application.type,
    name: application.name,
    description: application.description,
  };

/** `PostRegister`, `PostSignIn` or `PostResetPassword`. */
export async function announceInteraction(
  store: TenantStore,
  type: EventType,
  user: UserRow,
  occasion: Occasion,
): Promise<void> {
  const { facts, now, sessionId, interactionEvent } = occasion;
  const payload = {
    interactionEvent,
    sessionId,
    userAgent: facts.userAgent,
    userId: user.id,
    userIp: facts.ip,
    user: project(User, await userView(store, user)),
    application: applicationOf(occasion),
  };
  await recordEvent(store, type, {}, payload, now);
}

/** `User.Created` or `User.Data.Updated`, as the Management API announces them, with the interaction's facts. */
export async function announceUser(
  store: TenantStore,
  type: EventType,
  user: UserRow,
  occasion: Occasion,
): Promise<void> {
  const { facts, now, sessionId, interactionEvent, application } = occasion;
  const payload = {
    ...facts,
    interactionEvent,
    sessionId,
    applicationId: application?.id,
    application: applicationOf(occasion),
  };
  await recordEvent(store, type, { data: project(User, await userView(store, user)) }, payload, now);
}

/** The audit row of something a person did, or tried, on their own account. */
export async function auditPerson(
  store: TenantStore,
  key: string,
  userId: string | undefined,
  occasion: Occasion,
  payload: Record<string, unknown> = {},
  result: 'Success' | 'Error' = 'Success',
): Promise<void> {
  await recordAudit(store, {
    key,
    result,
    applicationId: occasion.application?.id,
    userId,
    actorId: userId,
    ...occasion.facts,
    requestId: occasion.requestId,
    payload: { sessionId: occasion.sessionId, ...payload },
    createdAt: occasion.now,
  });
}
