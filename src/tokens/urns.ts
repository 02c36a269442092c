/** RFC 8693 §2.1 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** RFC 8693 §3 */
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** What Logto's SDKs call a subject token. */
export const IMPERSONATION_TOKEN = 'urn:logto:token-type:impersonation_token';
/** Followed by an organization's id: the audience of an organization token. */
export const ORGANIZATION = 'urn:logto:organization:';

/** Reserved: Logto's SDKs ask for it at sign-in when they want tokens for organizations. */
export const ORGANIZATIONS_RESOURCE = 'urn:logto:resource:organizations';

/** Names below these belong to the service, so that no registered resource can be taken for one of its own. */
export const isReservedIndicator = (indicator: string): boolean => /^urn:logto:/i.test(indicator);

export const MANAGEMENT_RESOURCE_ID = 'management-api';
export const MANAGEMENT_SCOPE_ID = 'management-api-all';

/** An API of ours: where it is below the endpoint, its resource, its one scope, and that scope's name. */
export interface SystemApi {
  name: string;
  path: string;
  resourceId: string;
  scopeId: string;
  scope: string;
}
export const MANAGEMENT_API: SystemApi = {
  name: 'Management API',
  path: '/api',
  resourceId: MANAGEMENT_RESOURCE_ID,
  scopeId: MANAGEMENT_SCOPE_ID,
  scope: 'all',
};
/** Of the default tenant alone. */
export const ADMIN_API: SystemApi = {
  name: 'Operator API',
  path: '/admin/api',
  resourceId: 'admin-api',
  scopeId: 'admin-api-tenants',
  scope: 'tenants',
};

const SYSTEM_APIS = [MANAGEMENT_API, ADMIN_API];

/** These are for machines, and stay as they are: no user gets a token for one, nobody changes or deletes it. */
export const isSystemResource = (id: string): boolean => SYSTEM_APIS.some(({ resourceId }) => resourceId === id);
export const isSystemScope = (id: string): boolean => SYSTEM_APIS.some(({ scopeId }) => scopeId === id);
