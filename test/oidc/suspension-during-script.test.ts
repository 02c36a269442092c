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

/** Its run lasts until the gate answers, so a test decides what happens while it runs. */
const SCRIPT = `const getCustomJwtClaims = async ({ environmentVariables: { GATE } }) => {
  const { status } = await fetch(GATE);
  return { status };
};`;

const PASSWORD = 'correct horse battery';

describe.each(databases)('while the script of an exchange runs, on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let gate: WebhookReceiver;
  /** Beside the service, as another process has it. */
  let database: Database;
  let people = 0;

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

  /** Two new people: whom it is about, and who acts. */
  async function play() {
    people++;
    const subject = await service.api.must('POST /users', { username: `subject${people}` });
    const actor = await service.api.must('POST /users', { username: `actor${people}`, password: PASSWORD });
    const actorToken = await cast.spa.signIn({ username: actor.username, password: PASSWORD });
    const mint = async () => (await service.api.must('POST /subject-tokens', { userId: subject.id })).subjectToken;
    const exchange = (subjectToken: string) =>
      cast.spa.exchange({ subject_token: subjectToken, actor_token: actorToken });
    return { subject, actor, mint, exchange };
  }

  /** Does the deed while the script runs, and says what the exchange then answers. */
  async function meanwhile(exchange: () => Promise<Answer>, deed: () => Promise<unknown>): Promise<Answer> {
    let held: ServerResponse | undefined;
    gate.behave((response) => {
      held = response;
    });
    const answer = exchange();
    await gate.next();
    await deed();
    held?.end();
    return answer;
  }

  const immediately = (exchange: () => Promise<Answer>) => meanwhile(exchange, async () => {});
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

  const deeds: [string, (people: Awaited<ReturnType<typeof play>>) => Promise<unknown>][] = [
    ['the subject is suspended', ({ subject }) => suspend(subject)],
    ['the actor is suspended', ({ actor }) => suspend(actor)],
    ['the subject is deleted', ({ subject }) => service.api.must(`DELETE /users/${subject.id}`)],
    ['the actor is deleted', ({ actor }) => service.api.must(`DELETE /users/${actor.id}`)],
    ['the subject is suspended, and reinstated', ({ subject }) => suspend(subject).then(() => reinstate(subject))],
  ];

  it.each(deeds)('%s: no token leaves, and what began before has ended', async (_, deed) => {
    const people = await play();
    const [first, second] = [await people.mint(), await people.mint()];
    const begun = await immediately(() => people.exchange(first));
    expect(begun.status, JSON.stringify(begun.body)).toBe(200);
    expect(await isActive(begun.body.access_token)).toBe(true);

    const { status, body } = await meanwhile(
      () => people.exchange(second),
      () => deed(people),
    );
    expect([status, body.error, body.access_token]).toEqual([400, 'invalid_request', undefined]);
    expect(await isActive(begun.body.access_token)).toBe(false);
    const impersonations: { revokedAt: number | null }[] = await impersonationsOf(people.subject);
    expect(impersonations).toHaveLength(1);
    expect(impersonations[0]?.revokedAt).not.toBeNull();
  });

  it('refuses what the policy forbids only since the script began, and leaves the subject token unspent', async () => {
    const { subject, actor, mint, exchange } = await play();
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
        'the subject cannot be acted for',
        withActor,
        () => decide({ protectedRoleIds: [guarded] }),
        () => give(subject, [guarded]),
      ],
      [
        'the subject cannot be acted for',
        withActor,
        () => give(subject, [guarded]),
        () => decide({ protectedRoleIds: [guarded] }),
      ],
      [
        'the actor holds none of the roles that may act for others',
        withActor,
        () => give(actor, [support]).then(() => decide({ allowedActorRoleIds: [support] })),
        () => give(actor, []),
      ],
      [
        'the actor holds none of the roles that may act for others',
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
        'the actor token was given to an application that is not allowed',
        withActor,
        async () => {},
        () => decide({ allowedActorApplicationIds: [otherApplication] }),
      ],
    ];
    for (const [reason, ask, before, deed] of changes) {
      await before();
      const { status, body } = await meanwhile(ask, deed);
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
    expect((await immediately(withActor)).status).toBe(200);
    await decide({});
  });

  it('refuses a subject who became an administrator since the script began, unless the policy lets them be acted for', async () => {
    const { subject, mint, exchange } = await play();
    const subjectToken = await mint();
    const administrator = {
      tenantId: 'default',
      userId: subject.id,
      managedTenantId: 'default',
      createdAt: Date.now(),
    };
    const { status, body } = await meanwhile(
      () => exchange(subjectToken),
      () => database.write((db) => db('administrators').insert(administrator)),
    );
    expect([status, body.error_description]).toEqual([400, 'impersonation policy: the subject is an administrator']);
    await service.api.must('PATCH /configs/impersonation', { protectAdministrators: false });
    expect((await immediately(() => exchange(subjectToken))).status).toBe(200);
    await service.api.must('PATCH /configs/impersonation', { protectAdministrators: true });
  });

  it('the actor is suspended: their subject token still serves another', async () => {
    const people = await play();
    const subjectToken = await people.mint();
    await meanwhile(
      () => people.exchange(subjectToken),
      () => suspend(people.actor),
    );
    const other = await immediately(() => cast.spa.exchange({ subject_token: subjectToken }));
    expect(other.status).toBe(200);
  });
});
