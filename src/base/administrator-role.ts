import { ServiceError } from '../errors.ts';

/** The roles of administrators. Each includes the rights of those before it. */
export const ADMINISTRATOR_ROLES = ['viewer', 'support', 'editor', 'owner'] as const;
export type AdministratorRole = (typeof ADMINISTRATOR_ROLES)[number];

export const isAdministratorRole = (text: string): text is AdministratorRole =>
  ADMINISTRATOR_ROLES.some((role) => role === text);

/** Returns true if the role has at least the rights of the other. */
export const includesRole = (role: AdministratorRole, needed: AdministratorRole): boolean =>
  ADMINISTRATOR_ROLES.indexOf(role) >= ADMINISTRATOR_ROLES.indexOf(needed);

/**
 * @param why the first sentence of the message
 * @throws 403 `administrator.role_required` unless the role includes the needed one
 */
export function requireRole(role: AdministratorRole, needed: AdministratorRole, why?: string): void {
  if (includesRole(role, needed)) return;
  const reason = `This requires the role ${needed}, and yours is ${role}. Ask an owner of the tenant.`;
  const message = why === undefined ? reason : `${why} ${reason}`;
  throw new ServiceError('administrator.role_required', { message, data: { role: needed } });
}
