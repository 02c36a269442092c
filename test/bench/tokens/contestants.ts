import { signIn } from '../../../scripts/support/sign-in.ts';
import type { Database } from '../../../src/database/database.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../../src/tokens/urns.ts';
import { costed, type Processes } from '../support/costs.ts';
import type { Load, LoadDriver } from '../support/load.ts';
import type { Understudy } from '../support/understudy.ts';
import { addSubjectTokens } from './add-subject-tokens.ts';

export type Form = Record<string, string>;

const CONTEXT = { ticketId: 'TICKET-7' };

interface Conditions {
  /** The service's database. */
  database: Database;
  processes: Processes;
  /** Requests per contestant and round. */
  requests: number;
  /** Fewer for those that mint. */
  mints: number;
  connections: number;
}

/** A round of token requests. The forms are used in turn and repeated if there are fewer than requests. */
export function tokenLoad(origin: string, requests: number, connections: number, forms: Form[]): Load {
  const texts = forms.map((form) => new URLSearchParams(form).toString());
  return {
    origin,
    path: '/oidc/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    bodies: Array.from({ length: requests }, (_, index) => texts[index % texts.length] ?? ''),
    connections,
    status: 200,
  };
}

/** The rounds of one service: the requests, and their preparation. */
export async function contestants(driver: LoadDriver, service: Understudy, conditions: Conditions) {
  const { origin, api, credentials } = service;
  const { managementApiIndicator, demo } = credentials;
  const { database, processes, requests, mints, connections } = conditions;
  const { tokens } = await signIn({ endpoint: origin, ...demo, scope: 'openid', person: demo.actor });
  const { script } = await api.must('GET /configs/jwt-customizer/access-token');
  await api.must('DELETE /configs/jwt-customizer/access-token');

  const actor = { actor_token: tokens.access_token, actor_token_type: ACCESS_TOKEN };
  const machine = {
    grant_type: 'client_credentials',
    client_id: credentials.machine.clientId,
    client_secret: credentials.machine.clientSecret,
    resource: managementApiIndicator,
    scope: 'all',
  };

  const formOf = (subjectToken: string, { withActor = false } = {}): Form => ({
    grant_type: TOKEN_EXCHANGE,
    client_id: demo.clientId,
    subject_token: subjectToken,
    subject_token_type: ACCESS_TOKEN,
    ...(withActor && actor),
    resource: demo.resource,
    scope: demo.scope,
  });

  /** A subject token is single-use, so each round needs its own. */
  async function forms(count: number, options = {}): Promise<Form[]> {
    const owner = { userId: demo.subject.id, creatorId: credentials.machine.clientId, context: CONTEXT };
    return (await addSubjectTokens(database, 'default', owner, count)).map((token) => formOf(token, options));
  }

  const send = async (count: number, forms: Form[]) =>
    (await driver.send(tokenLoad(origin, count, connections, forms))).perSecond;
  const sendMints = async () =>
    driver.send({
      origin,
      path: '/api/subject-tokens',
      headers: { authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' },
      bodies: Array(mints).fill(JSON.stringify({ userId: demo.subject.id, context: CONTEXT })),
      connections,
      status: 201,
    });

  async function withScript<T>(work: () => Promise<T>): Promise<T> {
    await api.must('PUT /configs/jwt-customizer/access-token', { script });
    const result = await work();
    await api.must('DELETE /configs/jwt-customizer/access-token');
    return result;
  }

  async function exchange(options = {}) {
    const ready = await forms(requests, options);
    return costed(processes, requests, () => send(requests, ready));
  }

  return {
    machine,
    forms,
    exchange,
    exchangeWithActor: () => exchange({ withActor: true }),
    exchangeWithScript: () => withScript(exchange),
    clientCredentials: () => costed(processes, requests, () => send(requests, [machine])),
    mint: () => costed(processes, mints, async () => (await sendMints()).perSecond),
    /** The impersonations mint first and exchange then, each with an actor token and a script. */
    whole: () =>
      withScript(() =>
        costed(processes, mints, async () => {
          const { bodies, perSecond } = await sendMints();
          const minted = bodies.map((body) => formOf(JSON.parse(body).subjectToken, { withActor: true }));
          return 1 / (1 / perSecond + 1 / (await send(mints, minted)));
        }),
      ),
  };
}
