import type { Database } from '../../../src/database/database.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../../src/tokens/urns.ts';
import { ManagementClient } from '../../support/call.ts';
import type { LoadDriver } from '../support/load.ts';
import { type BenchTenant, makeTenants } from '../support/make-tenants.ts';
import type { Understudy } from '../support/understudy.ts';
import { addSubjectTokens } from './add-subject-tokens.ts';

const RESOURCE = 'https://orders.example.com';

/** The data that an exchange in one tenant needs. */
interface Party {
  path: string;
  tenantId: string;
  userId: string;
  creatorId: string;
  clientId: string;
}

async function partyOf(origin: string, { path, machine, managementApiIndicator }: BenchTenant): Promise<Party> {
  const api = new ManagementClient(`${origin}${path}`, managementApiIndicator, machine);
  const user = await api.must('POST /users', { username: 'customer' });
  await api.must('POST /resources', { name: 'Orders', indicator: RESOURCE });
  const application = await api.must('POST /applications', {
    name: 'Support',
    type: 'SPA',
    customClientMetadata: { allowTokenExchange: true },
  });
  return { path, tenantId: path.slice(1), userId: user.id, creatorId: machine.clientId, clientId: application.id };
}

/** Exchanges spread over this many tenants of one process, each with its own keys, users and applications. */
export async function exchangesOfManyTenants(
  driver: LoadDriver,
  service: Understudy,
  database: Database,
  { tenants, requests, connections }: { tenants: number; requests: number; connections: number },
): Promise<() => Promise<number>> {
  const { origin } = service;
  const parties: Party[] = [];
  for (const tenant of await makeTenants(service, tenants)) parties.push(await partyOf(origin, tenant));

  async function formsOf({ tenantId, userId, creatorId, clientId }: Party): Promise<string[]> {
    const tokens = await addSubjectTokens(database, tenantId, { userId, creatorId }, requests / tenants);
    return tokens.map((token) =>
      new URLSearchParams({
        grant_type: TOKEN_EXCHANGE,
        client_id: clientId,
        subject_token: token,
        subject_token_type: ACCESS_TOKEN,
        resource: RESOURCE,
      }).toString(),
    );
  }

  return async () => {
    const forms: string[][] = [];
    for (const party of parties) forms.push(await formsOf(party));
    const turns = Array.from({ length: requests }, (_, index) => index);
    const { perSecond } = await driver.send({
      origin,
      path: '',
      paths: turns.map((turn) => `${parties[turn % tenants]?.path}/oidc/token`),
      bodies: turns.map((turn) => forms[turn % tenants]?.[Math.floor(turn / tenants)] ?? ''),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      connections,
      status: 200,
    });
    return perSecond;
  };
}
