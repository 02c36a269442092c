/** Grant type of a token exchange (RFC 8693 §2.1). */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** Token type of an access token (RFC 8693 §3). */
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** Type of a subject token in Logto's SDKs. */
export const IMPERSONATION_TOKEN = 'urn:logto:token-type:impersonation_token';
/** Prefix of the audience of an organization token; the organization's id follows. */
export const ORGANIZATION = 'urn:logto:organization:';

/** Reserved resource that Logto's SDKs request at sign-in to get organization tokens later. */
export const ORGANIZATIONS_RESOURCE = 'urn:logto:resource:organizations';

/** True for indicators that only the service may use, so that no registered resource can be confused with its own. */
export const isReservedIndicator = (indicator: string): boolean => /^urn:logto:/i.test(indicator);

export const MANAGEMENT_RESOURCE_ID = 'management-api';

/** An API of the service: its path below the endpoint, its resource and its only scope. */
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
  scopeId: 'management-api-all',
  scope: 'all',
};
/** Exists only in the default tenant. */
export const ADMIN_API: SystemApi = {
  name: 'Operator API',
  path: '/admin/api',
  resourceId: 'admin-api',
  scopeId: 'admin-api-tenants',
  scope: 'tenants',
};

const SYSTEM_APIS = [MANAGEMENT_API, ADMIN_API];
export const SYSTEM_RESOURCE_IDS = SYSTEM_APIS.map(({ resourceId }) => resourceId);

/** True for the resource of an API of the service. It cannot be changed or deleted, and users get no tokens for it. */
export const isSystemResource = (id: string): boolean => SYSTEM_RESOURCE_IDS.includes(id);
export const isSystemScope = (id: string): boolean => SYSTEM_APIS.some(({ scopeId }) => scopeId === id);
