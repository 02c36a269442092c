import { newId } from '../../src/base/ids.ts';
import type { SecretBox } from '../../src/base/secret-box.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { adapterFor } from '../../src/oidc/adapter.ts';
import type { ManagementClient } from './call.ts';

/** Ids of one of everything, connected to one another. The `spare` ones are not connected to anything. */
export interface World {
  user: string;
  spareUser: string;
  factor: string;
  role: string;
  spareRole: string;
  machineRole: string;
  spareMachineRole: string;
  resource: string;
  indicator: string;
  scope: string;
  spareScope: string;
  organization: string;
  organizationRole: string;
  spareOrganizationRole: string;
  machineOrganizationRole: string;
  organizationScope: string;
  spareOrganizationScope: string;
  application: string;
  machine: string;
  spareMachine: string;
  subjectToken: string;
  impersonation: string;
  hook: string;
  delivery: string;
  replay: string;
  connector: string;
  /** A signing key that is not in use yet. */
  nextKey: string;
  run: string;
  log: string;
  /** A URL that can receive test webhooks. */
  receiver: string;
  /** A session of the user, with a grant to the application. */
  session: string;
  grant: string;
}

export const CONNECTOR = {
  target: 'google',
  name: 'Google',
  issuer: 'https://accounts.google.example',
  clientId: 'client',
  clientSecret: 'hush',
};

/** A PNG image of one pixel. */
export const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const SCRIPT = 'const getCustomJwtClaims = async () => ({ plan: "gold" });';

async function people(api: ManagementClient) {
  const user = await api.must('POST /users', {
    username: 'carol',
    primaryEmail: 'carol@example.com',
    password: 'correct horse',
  });
  const spareUser = await api.must('POST /users', { username: 'dave' });
  await api.must(`POST /users/${user.id}/identities/google`, { userId: 'g-1', details: { email: 'carol@gmail.com' } });
  const factor = await api.must(`POST /users/${user.id}/mfa-verifications`, { type: 'Totp' });
  return { user: user.id, spareUser: spareUser.id, factor: factor.id };
}

async function permissions(api: ManagementClient, user: string) {
  const indicator = 'https://billing.example/api';
  const resource = await api.must('POST /resources', { name: 'Billing', indicator });
  const scope = await api.must(`POST /resources/${resource.id}/scopes`, { name: 'read:bills' });
  const spareScope = await api.must(`POST /resources/${resource.id}/scopes`, { name: 'write:bills' });
  const make = (name: string, type: string, scopeIds: string[] = []) =>
    api.must('POST /roles', { name, description: name, type, scopeIds });
  const role = await make('Clerk', 'User', [scope.id]);
  const spareRole = await make('Auditor', 'User');
  const machineRole = await make('Importer', 'MachineToMachine', [scope.id]);
  const spareMachineRole = await make('Exporter', 'MachineToMachine');
  await api.must(`POST /users/${user}/roles`, { roleIds: [role.id] });
  return {
    indicator,
    resource: resource.id,
    scope: scope.id,
    spareScope: spareScope.id,
    role: role.id,
    spareRole: spareRole.id,
    machineRole: machineRole.id,
    spareMachineRole: spareMachineRole.id,
  };
}

async function applications(api: ManagementClient, machineRole: string) {
  const make = (name: string, type: string) => api.must('POST /applications', { name, type });
  const application = await make('Desk', 'SPA');
  const machine = await make('Nightly', 'MachineToMachine');
  const spareMachine = await make('Weekly', 'MachineToMachine');
  await api.must(`POST /applications/${machine.id}/secrets`, { name: 'main' });
  await api.must(`POST /applications/${machine.id}/roles`, { roleIds: [machineRole] });
  return { application: application.id, machine: machine.id, spareMachine: spareMachine.id };
}

async function organization(
  api: ManagementClient,
  { user, machine, scope }: { user: string; machine: string; scope: string },
) {
  const { id } = await api.must('POST /organizations', { name: 'Acme' });
  const organizationScope = (await api.must('POST /organization-scopes', { name: 'invite' })).id;
  const spareOrganizationScope = (await api.must('POST /organization-scopes', { name: 'expel' })).id;
  const make = (name: string, besides: object = {}) => api.must('POST /organization-roles', { name, ...besides });
  const held = { organizationScopeIds: [organizationScope], resourceScopeIds: [scope] };
  const organizationRole = (await make('Member', held)).id;
  const spareOrganizationRole = (await make('Guest')).id;
  const machineOrganizationRole = (await make('Robot', { type: 'MachineToMachine' })).id;
  await api.must(`POST /organizations/${id}/users`, { userIds: [user] });
  await api.must(`POST /organizations/${id}/users/${user}/roles`, { organizationRoleIds: [organizationRole] });
  await api.must(`POST /organizations/${id}/applications`, { applicationIds: [machine] });
  const path = `POST /organizations/${id}/applications/${machine}/roles`;
  await api.must(path, { organizationRoleIds: [machineOrganizationRole] });
  return {
    organization: id,
    organizationScope,
    spareOrganizationScope,
    organizationRole,
    spareOrganizationRole,
    machineOrganizationRole,
  };
}

/**
 * Inserts rows that no operation creates: an active impersonation, a script run, a failed delivery, a finished replay.
 */
async function traces(store: TenantStore, made: { user: string; application: string; hook: string }) {
  const { user, application, hook: hookId } = made;
  const now = Date.now();
  const impersonation = newId();
  const run = newId();
  const delivery = newId();
  const replay = newId();
  const eventId = newId();
  await store.add('impersonations', [
    {
      id: impersonation,
      subjectTokenId: newId(),
      subjectId: user,
      actorId: null,
      applicationId: application,
      resource: 'https://billing.example/api',
      scope: 'read:bills',
      context: { reason: 'test' },
      issuedAt: now,
      expiresAt: now + 3_600_000,
    },
  ]);
  const nothing = { droppedClaims: [], console: [], wallMs: 1, cpuMs: 1, createdAt: now };
  await store.add('scriptRuns', [{ id: run, tokenType: 'client-credentials', number: 1, result: 'ok', ...nothing }]);
  const event = { type: 'User.Created', body: '{"event":"User.Created"}', occurredAt: now };
  await store.add('events', [{ id: eventId, ...event }]);
  const dead = { state: 'dead', dueAt: null, attempts: 1, trigger: 'schedule', createdAt: now } as const;
  await store.add('deliveries', [{ id: delivery, eventId, hookId, ...dead }]);
  const filter = { since: 0, until: now, events: [] };
  const over = { filter, count: 1, done: 1, state: 'done', createdAt: now } as const;
  await store.add('replays', [{ id: replay, hookId, ...over }]);
  return { impersonation, run, delivery, replay };
}

/** Inserts a session as a sign-in leaves it, with a grant to an application. */
export async function signedIn(
  store: TenantStore,
  secrets: SecretBox,
  { user: accountId, application: clientId }: { user: string; application: string },
): Promise<Pick<World, 'session' | 'grant'>> {
  const [session, grant, hour] = [newId(), newId(), 3600];
  const iat = Math.floor(Date.now() / 1000);
  const of = { accountId, iat, exp: iat + hour };
  const adapter = adapterFor({ store, secrets, clock: Date.now, findClient: async () => undefined });
  const authorizations = { [clientId]: { grantId: grant } };
  const jti = newId();
  await adapter('Session').upsert(
    jti,
    { ...of, kind: 'Session', jti, uid: session, loginTs: iat, authorizations },
    hour,
  );
  const signIn = { interactionEvent: 'SignIn', userId: accountId, verificationRecords: [{ type: 'Password' }] };
  await adapter('SessionInteraction').upsert(session, { ...signIn, accountId, uid: session }, hour);
  await adapter('Grant').upsert(grant, { ...of, kind: 'Grant', jti: grant, clientId }, hour);
  await adapter('RefreshToken').upsert(newId(), { ...of, kind: 'RefreshToken', clientId, grantId: grant }, hour);
  return { session, grant };
}

/** Creates one of everything in the default tenant, mostly through its own API, without a signed-in user. */
export async function buildWorld(
  api: ManagementClient,
  database: Database,
  receiver: string,
): Promise<Omit<World, 'session' | 'grant'>> {
  const who = await people(api);
  const may = await permissions(api, who.user);
  const what = await applications(api, may.machineRole);
  const where = await organization(api, { ...who, ...what, ...may });
  await api.must('POST /subject-tokens', { userId: who.user, context: { ticketId: 'T-1' } });
  await api.must('PUT /configs/jwt-customizer/client-credentials', { script: SCRIPT });
  const config = { url: 'https://receiver.example/hook', headers: { authorization: 'Bearer of-the-receiver' } };
  const hook = await api.must('POST /hooks', { name: 'Off', events: ['User.Created'], config, enabled: false });
  const connector = (await api.must('POST /connectors', CONNECTOR)).id;
  await api.must('PUT /sign-in-exp/images/favicon', { content: IMAGE });
  const [subjectToken] = await api.must(`GET /subject-tokens?userId=${who.user}`);
  const keys: { id: string; state: string }[] = await api.must('POST /configs/oidc/private-keys/rotate');
  const nextKey = keys.find(({ state }) => state === 'next')?.id as string;
  const [log] = await api.must('GET /logs');
  const seen = await traces(new TenantStore(database, 'default'), { ...who, ...what, hook: hook.id });
  const others = { connector, nextKey, subjectToken: subjectToken.id, hook: hook.id, log: log.id, receiver };
  return { ...who, ...may, ...what, ...where, ...seen, ...others };
}
