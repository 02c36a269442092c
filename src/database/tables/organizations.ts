import { cached, flag, id, json, key, number, of, orDefault, orNull, table, text } from './table.ts';

const organizationId = key(text);
const organizationRoleId = key(text);

export const organizationTables = {
  organizations: table({
    id,
    name: text,
    description: orNull(text),
    customData: json,
    isMfaRequired: orDefault(flag, false),
    color: json,
    branding: json,
    customCss: orNull(text),
    createdAt: number,
  }),
  organizationRoles: cached({ id, name: text, description: orNull(text), type: of<'User' | 'MachineToMachine'>(text) }),
  organizationScopes: table({ id, name: text, description: orNull(text) }),
  organizationUsers: table({ organizationId, userId: key(text) }),
  organizationApplications: table({ organizationId, applicationId: key(text) }),
  organizationRoleScopes: table({ organizationRoleId, organizationScopeId: key(text) }),
  organizationRoleResourceScopes: cached({ organizationRoleId, scopeId: key(text) }),
  organizationUserRoles: table({ organizationId, userId: key(text), organizationRoleId }),
  organizationApplicationRoles: table({ organizationId, applicationId: key(text), organizationRoleId }),
};
