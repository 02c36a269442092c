import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/http/operations/operation.ts';
import { operations } from '../../src/management/index.ts';
import { databases } from '../support/databases.ts';
import { requestOf } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage, type Stage } from '../support/stage.ts';
import { dumpTenant } from '../support/tenant-rows.ts';

/** The events of the compatible API, one line per operation. */
const COMPATIBLE = `
| POST /users | User.Created |
| DELETE /users/:userId | User.Deleted |
| PATCH /users/:userId | User.Data.Updated |
| PATCH /users/:userId/custom-data | User.Data.Updated |
| PATCH /users/:userId/profile | User.Data.Updated |
| PATCH /users/:userId/password | User.Data.Updated |
| PATCH /users/:userId/is-suspended | User.SuspensionStatus.Updated |
| POST /roles | Role.Created, and additionally Role.Scopes.Updated (listed in parentheses as secondary) |
| DELETE /roles/:id | Role.Deleted |
| PATCH /roles/:id | Role.Data.Updated |
| POST /roles/:id/scopes | Role.Scopes.Updated |
| DELETE /roles/:id/scopes/:scopeId | Role.Scopes.Updated |
| POST /resources/:resourceId/scopes | Scope.Created |
| DELETE /resources/:resourceId/scopes/:scopeId | Scope.Deleted |
| PATCH /resources/:resourceId/scopes/:scopeId | Scope.Data.Updated |
| POST /organizations | Organization.Created |
| DELETE /organizations/:id | Organization.Deleted |
| PATCH /organizations/:id | Organization.Data.Updated |
| PUT /organizations/:id/users | Organization.Membership.Updated |
| POST /organizations/:id/users | Organization.Membership.Updated |
| DELETE /organizations/:id/users/:userId | Organization.Membership.Updated |
| POST /organization-roles | OrganizationRole.Created, and additionally OrganizationRole.Scopes.Updated (listed in parentheses as secondary) |
| DELETE /organization-roles/:id | OrganizationRole.Deleted |
| PATCH /organization-roles/:id | OrganizationRole.Data.Updated |
| POST /organization-scopes | OrganizationScope.Created |
| DELETE /organization-scopes/:id | OrganizationScope.Deleted |
| PATCH /organization-scopes/:id | OrganizationScope.Data.Updated |
| PUT /organization-roles/:id/scopes | OrganizationRole.Scopes.Updated |
| POST /organization-roles/:id/scopes | OrganizationRole.Scopes.Updated |
| DELETE /organization-roles/:id/scopes/:organizationScopeId | OrganizationRole.Scopes.Updated |
`;

/** Other operations that make the same changes and therefore emit the same events. */
const FURTHER = `
| DELETE /resources/:id | Scope.Deleted |
| POST /users/:userId/identities/:target | User.Data.Updated |
| DELETE /users/:userId/identities/:target | User.Data.Updated |
| POST /users/:userId/mfa-verifications | User.Data.Updated |
| DELETE /users/:userId/mfa-verifications/:verificationId | User.Data.Updated |
| PUT /organizations/:id/applications | Organization.Membership.Updated |
| POST /organizations/:id/applications | Organization.Membership.Updated |
| DELETE /organizations/:id/applications/:applicationId | Organization.Membership.Updated |
| PUT /organization-roles/:id/resource-scopes | OrganizationRole.Scopes.Updated |
| POST /organization-roles/:id/resource-scopes | OrganizationRole.Scopes.Updated |
| DELETE /organization-roles/:id/resource-scopes/:scopeId | OrganizationRole.Scopes.Updated |
`;

const parse = (table: string): Record<string, string[]> =>
  Object.fromEntries(
    [...table.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].map(([, route = '', cell = '']) => [
      route,
      cell.match(/\w+(\.\w+)+/g) ?? [],
    ]),
  );

const declaredBy = ({ event, furtherEvents = [] }: Operation): string[] => [
  ...(event ? [event] : []),
  ...furtherEvents.map(({ event }) => event),
];

const expected = { ...parse(COMPATIBLE), ...parse(FURTHER) };

it('has a table with every event of the compatible API', () => {
  expect(Object.keys(parse(COMPATIBLE))).toHaveLength(30);
});

it('declares exactly the events of both tables', () => {
  const declared = operations.map((operation) => [operation.route, declaredBy(operation)] as const);
  expect(Object.fromEntries(declared.filter(([, events]) => events.length > 0))).toEqual(expected);
});

describe.each(databases)('on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());

  it.each(operations.filter(({ method }) => method !== 'GET').map(({ route }) => route))(
    '%s emits the events of the table',
    async (route) => {
      const { api, database, world, rows } = stage;
      const before = new Set(rows.events);
      await stage.restore();
      await api.must(...requestOf(route, samples[route]?.(world) ?? {}));

      const { events = [] } = await dumpTenant(database, 'default');
      const bodies = events.filter((row) => !before.has(row)).map((row) => JSON.parse(JSON.parse(row).body));
      const [, path = ''] = route.split(' ');
      // Deleting the resource also deletes its two scopes.
      const wanted = route === 'DELETE /resources/:id' ? ['Scope.Deleted', 'Scope.Deleted'] : (expected[route] ?? []);
      expect(bodies.map(({ event }) => event).toSorted()).toEqual(wanted.toSorted());
      for (const body of bodies)
        expect(body).toMatchObject({ matchedRoute: path, status: expect.any(Number), params: expect.any(Object) });
    },
  );
});
