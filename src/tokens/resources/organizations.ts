import { errors } from 'oidc-provider';
import type { Query, TenantStore } from '../../database/store/tenant-store.ts';
import { ORGANIZATION } from '../urns.ts';

/** A refresh token with this scope may request organization tokens. */
export const ORGANIZATIONS_SCOPE = 'urn:logto:scope:organizations';

/** Audience of an organization token. */
export const organizationAudience = (organizationId: string): string => `${ORGANIZATION}${organizationId}`;

const refused = (reason: string) => Object.assign(new errors.AccessDenied(reason), { statusCode: 403 });

/** Decides who may get a token for an organization, and with which of its permissions. */
export class Organizations {
  readonly #store: TenantStore;

  constructor(store: TenantStore) {
    this.#store = store;
  }

  /**
   * Checks that a user may get a token for an organization. Backup codes alone do not count as a second factor, because
   * they only replace another one.
   *
   * @param who the word for the user in a refusal: `user` or `subject`
   * @throws 403 `access_denied` for a user who is not a member, or lacks the second factor that the organization requires
   */
  async admitUser(userId: string, organizationId: string, who: string): Promise<void> {
    const [member, organization] = await Promise.all([
      this.#store.find('organizationUsers', { organizationId, userId }),
      this.#store.find('organizations', { id: organizationId }),
    ]);
    if (!member) throw refused(`the ${who} is not a member of the organization`);
    if (!organization?.isMfaRequired) return;
    const factor = await this.#store.from('userFactors').where({ userId }).whereNot({ type: 'BackupCode' }).first('id');
    if (!factor) throw refused(`the organization requires MFA, but the ${who} has no second factor`);
  }

  /** @throws 403 `access_denied` for an application that is not a member */
  async admitApplication(applicationId: string, organizationId: string): Promise<void> {
    if (!(await this.#store.find('organizationApplications', { organizationId, applicationId })))
      throw refused('the application is not a member of the organization');
  }

  /** Every organization scope of the tenant. */
  async scopeNames(): Promise<string[]> {
    return namesOf(await this.#store.from('organizationScopes').select('name'));
  }

  /**
   * The roles that a user has in one organization or, without `organizationId`, in all of them. Where an organization
   * requires a second factor, the user's roles in it count only if the user has one; otherwise omitting the organization
   * would bypass the requirement. It is one query, because every token of a user waits for it.
   */
  #rolesOfUser(userId: string, organizationId?: string) {
    const factors = this.#store.from('userFactors').where({ userId }).whereNot({ type: 'BackupCode' });
    return this.#store
      .from('organizationUserRoles')
      .join(this.#store.rows('organizations'), 'organizations.id', 'organizationUserRoles.organizationId')
      .where({ userId, ...(organizationId !== undefined && { organizationId }) })
      .where((role) => role.where({ 'organizations.isMfaRequired': false }).orWhereExists(factors.select('id')));
  }

  async roleIdsOfUser(userId: string, organizationId?: string): Promise<string[]> {
    const rows = await this.#rolesOfUser(userId, organizationId).select('organizationRoleId');
    return rows.map(({ organizationRoleId }) => organizationRoleId);
  }

  /** Permissions of the roles that a user has in one organization or, without `organizationId`, in all of them. */
  scopesOfUser(userId: string, organizationId?: string): Promise<string[]> {
    return this.#scopesOf('organizationUserRoles', this.#rolesOfUser(userId, organizationId));
  }

  /** Permissions of a machine-to-machine application's roles in one organization or in all. */
  scopesOfApplication(applicationId: string, organizationId?: string): Promise<string[]> {
    const table = 'organizationApplicationRoles';
    const where = { applicationId, ...(organizationId !== undefined && { organizationId }) };
    return this.#scopesOf(table, this.#store.from(table).where(where));
  }

  async #scopesOf(members: 'organizationUserRoles' | 'organizationApplicationRoles', roles: Query): Promise<string[]> {
    const rows = await roles
      .join(
        this.#store.rows('organizationRoleScopes'),
        'organizationRoleScopes.organizationRoleId',
        `${members}.organizationRoleId`,
      )
      .join(
        this.#store.rows('organizationScopes'),
        'organizationScopes.id',
        'organizationRoleScopes.organizationScopeId',
      )
      .select('organizationScopes.name as name');
    return namesOf(rows as { name: string }[]);
  }
}

const namesOf = (rows: readonly { name?: unknown }[]): string[] => [...new Set(rows.map(({ name }) => String(name)))];
