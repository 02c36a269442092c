import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { type Answer, postForm } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Runs until the gate responds, so that a test can make changes while it runs. */
const SCRIPT = `const getCustomJwtClaims = async ({ environmentVariables: { GATE } }) => {
  const { status } = await fetch(GATE);
  return { status };
};`;

const PASSWORD = 'correct horse battery';

describe.each(databases)('changes while the claims script of an exchange runs, on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let gate: WebhookReceiver;
  /** A second connection, like that of another process. */
  let database: Database;
  let userCount = 0;

  beforeAll(async () => {
    gate = await WebhookReceiver.start();
    service = await startService(kind, { SCRIPT_FETCH_ALLOWED_HOSTS: '127.0.0.1', SANDBOX_TIMEOUT_MS: '10000' });
    cast = castOf(service);
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    await service.api.must('PUT /configs/jwt-customizer/access-token', {
      script: SCRIPT,
      environmentVariables: { GATE: gate.url },
    });
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
    await gate.stop();
  });

  /** Creates a subject and an actor. */
  async function createUsers() {
    userCount++;
    const subject = await service.api.must('POST /users', { username: `subject${userCount}` });
    const actor = await service.api.must('POST /users', { username: `actor${userCount}`, password: PASSWORD });
    const actorToken = await cast.spa.signIn({ username: actor.username, password: PASSWORD });
    const mint = async () => (await service.api.must('POST /subject-tokens', { userId: subject.id })).subjectToken;
    const exchange = (subjectToken: string) =>
      cast.spa.exchange({ subject_token: subjectToken, actor_token: actorToken });
    return { subject, actor, mint, exchange };
  }

  /** Makes a change while the script runs and returns the response of the exchange. */
  async function duringScript(exchange: () => Promise<Answer>, makeChange: () => Promise<unknown>): Promise<Answer> {
    let held: ServerResponse | undefined;
    gate.behave((response) => {
      held = response;
    });
    const answer = exchange();
    await gate.next();
    await makeChange();
    held?.end();
    return answer;
  }

  const withoutChange = (exchange: () => Promise<Answer>) => duringScript(exchange, async () => {});
  const suspend = ({ id }: { id: string }) =>
    service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: true });
  const reinstate = ({ id }: { id: string }) =>
    service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: false });
  const impersonationsOf = (subject: { id: string }) => service.api.must(`GET /impersonations?subjectId=${subject.id}`);
  async function isActive(token: string): Promise<boolean> {
    const { clientId, clientSecret } = service.credentials.machine;
    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    return (await postForm(`${service.url}/oidc/token/introspection`, { token }, { authorization })).body.active;
  }

  const userChanges: [string, (users: Awaited<ReturnType<typeof createUsers>>) => Promise<unknown>][] = [
    ['the subject is suspended', ({ subject }) => suspend(subject)],
    ['the actor is suspended', ({ actor }) => suspend(actor)],
    ['the subject is deleted', ({ subject }) => service.api.must(`DELETE /users/${subject.id}`)],
    ['the actor is deleted', ({ actor }) => service.api.must(`DELETE /users/${actor.id}`)],
    ['the subject is suspended and reinstated', ({ subject }) => suspend(subject).then(() => reinstate(subject))],
  ];

  it.each(userChanges)('refuses the exchange and revokes the earlier impersonation when %s', async (_, makeChange) => {
    const users = await createUsers();
    const [first, second] = [await users.mint(), await users.mint()];
    const earlier = await withoutChange(() => users.exchange(first));
    expect(earlier.status, JSON.stringify(earlier.body)).toBe(200);
    expect(await isActive(earlier.body.access_token)).toBe(true);

    const { status, body } = await duringScript(
      () => users.exchange(second),
      () => makeChange(users),
    );
    expect([status, body.error, body.access_token]).toEqual([400, 'invalid_request', undefined]);
    expect(await isActive(earlier.body.access_token)).toBe(false);
    const impersonations: { revokedAt: number | null }[] = await impersonationsOf(users.subject);
    expect(impersonations).toHaveLength(1);
    expect(impersonations[0]?.revokedAt).not.toBeNull();
  });

  it('refuses an exchange that the policy forbids since the script started, and leaves the subject token unspent', async () => {
    const { subject, actor, mint, exchange } = await createUsers();
    const role = async (name: string): Promise<string> =>
      (await service.api.must('POST /roles', { name, description: name })).id;
    const [guarded, support] = [await role('Guarded'), await role('Support')];
    const OPEN = {
      requireActor: false,
      protectedRoleIds: [],
      allowedActorRoleIds: [],
      allowedActorApplicationIds: [],
    };
    const { clientId: otherApplication } = await registerApplication(service, 'SPA');
    const decide = (policy: object) => service.api.must('PATCH /configs/impersonation', { ...OPEN, ...policy });
    const give = (user: { id: string }, roleIds: string[]) =>
      service.api.must(`PUT /users/${user.id}/roles`, { roleIds });
    const subjectToken = await mint();
    const alone = () => cast.spa.exchange({ subject_token: subjectToken });
    const withActor = () => exchange(subjectToken);

    const changes: [string, () => Promise<Answer>, () => Promise<unknown>, () => Promise<unknown>][] = [
      [
        'the subject has a protected role',
        withActor,
        () => decide({ protectedRoleIds: [guarded] }),
        () => give(subject, [guarded]),
      ],
      [
        'the subject has a protected role',
        withActor,
        () => give(subject, [guarded]),
        () => decide({ protectedRoleIds: [guarded] }),
      ],
      [
        'the actor has none of the allowed actor roles',
        withActor,
        () => give(actor, [support]).then(() => decide({ allowedActorRoleIds: [support] })),
        () => give(actor, []),
      ],
      [
        'the actor has none of the allowed actor roles',
        withActor,
        async () => {},
        () => decide({ allowedActorRoleIds: [support] }),
      ],
      ['an actor token is required', alone, async () => {}, () => decide({ requireActor: true })],
      ['an actor token is required', alone, async () => {}, () => decide({ allowedActorRoleIds: [support] })],
      [
        'an actor token is required',
        alone,
        async () => {},
        () => decide({ allowedActorApplicationIds: [cast.spa.clientId] }),
      ],
      [
        'the actor token was issued to an application that is not allowed',
        withActor,
        async () => {},
        () => decide({ allowedActorApplicationIds: [otherApplication] }),
      ],
    ];
    for (const [reason, ask, before, makeChange] of changes) {
      await before();
      const { status, body } = await duringScript(ask, makeChange);
      expect([status, body.error, body.error_description]).toEqual([
        400,
        'invalid_request',
        `impersonation policy: ${reason}`,
      ]);
      await decide({});
      await give(subject, []);
    }
    await decide({
      protectedRoleIds: [guarded],
      allowedActorRoleIds: [support],
      allowedActorApplicationIds: [cast.spa.clientId],
      requireActor: true,
    });
    await give(actor, [support]);
    expect((await withoutChange(withActor)).status).toBe(200);
    await decide({});
  });

  it('refuses a subject who became an administrator since the script started, unless the policy allows it', async () => {
    const { subject, mint, exchange } = await createUsers();
    const subjectToken = await mint();
    const administrator = {
      tenantId: 'default',
      userId: subject.id,
      managedTenantId: 'default',
      createdAt: Date.now(),
    };
    const { status, body } = await duringScript(
      () => exchange(subjectToken),
      () => database.write((db) => db('administrators').insert(administrator)),
    );
    expect([status, body.error_description]).toEqual([400, 'impersonation policy: the subject is an administrator']);
    await service.api.must('PATCH /configs/impersonation', { protectAdministrators: false });
    expect((await withoutChange(() => exchange(subjectToken))).status).toBe(200);
    await service.api.must('PATCH /configs/impersonation', { protectAdministrators: true });
  });

  it('leaves the subject token usable for another actor when the actor is suspended', async () => {
    const users = await createUsers();
    const subjectToken = await users.mint();
    await duringScript(
      () => users.exchange(subjectToken),
      () => suspend(users.actor),
    );
    const other = await withoutChange(() => cast.spa.exchange({ subject_token: subjectToken }));
    expect(other.status).toBe(200);
  });
});
