/** RFC 8693 §2.1 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** RFC 8693 §3 */
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** What Logto's SDKs call a subject token. */
export const IMPERSONATION_TOKEN = 'urn:logto:token-type:impersonation_token';
/** Followed by an organization's id: the audience of an organization token. */
export const ORGANIZATION = 'urn:logto:organization:';

export const MANAGEMENT_RESOURCE_ID = 'management-api';
export const MANAGEMENT_SCOPE_ID = 'management-api-all';
