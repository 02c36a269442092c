/**
 * Every error response, by code: its usual status and its message. The first sentence says what happened, the rest what
 * to do. Codes and statuses are part of the public API: a code is never renamed or reused.
 */
const catalogue = {
  internal: [500, 'The service failed unexpectedly. If it happens again, send the request id to the operator.'],

  'request.malformed_json': [400, 'The body is not valid JSON. Correct its syntax.'],
  'request.invalid_input': [400, 'The search parameters are not valid. Compare them with the API reference.'],
  'request.too_large': [413, 'The body is too large. Send less in one request.'],
  'request.unsupported_media_type': [415, 'The body is not sent as JSON. Send it as application/json in UTF-8.'],
  'request.not_found': [404, 'There is nothing at this path. Check the URL.'],
  'request.unknown_host': [421, 'No tenant is served at this address. Use the endpoint of a tenant.'],
  'request.invalid_host': [400, 'The request does not name exactly one valid host. Send one Host header.'],
  'request.too_many_headers': [431, 'The request has too many headers. Send fewer.'],
  'request.rate_limited': [429, 'Too many requests. Wait for the number of seconds in the Retry-After header.'],
  'request.unavailable': [503, 'The service is temporarily unavailable. Try again shortly.'],

  'guard.invalid_input': [
    400,
    'The request does not match the schema of this operation. Correct what `details` lists.',
  ],
  'guard.invalid_pagination': [400, 'page or page_size is out of range. Use positive integers up to the maximum.'],

  'auth.authorization_header_missing': [401, 'The Authorization header is missing. Send a Bearer token in it.'],
  'auth.authorization_token_type_not_supported': [
    401,
    'The Authorization header has no valid Bearer token. Send `Authorization: Bearer <access token>`.',
  ],
  'auth.jwt_sub_missing': [401, 'The access token has no subject. Request a new one from the token endpoint.'],
  'auth.unauthorized': [401, 'The access token has expired or is not valid for this API. Request a new one.'],
  'auth.forbidden': [403, 'The access token lacks the required scope. Assign it to the application.'],

  'entity.not_exists_with_id': [404, 'Nothing with this id exists in this tenant. Check the id and the tenant.'],
  'entity.not_exists': [404, 'The item to update does not exist in this tenant. Check the id and the tenant.'],
  'entity.not_found': [404, 'The item was not found in this tenant. Check the id; it may have been deleted.'],
  'entity.relation_foreign_key_not_found': [
    404,
    'The request refers to an item that does not exist in this tenant. Check the ids in it.',
  ],
  'entity.unique_integrity_violation': [422, 'A value that must be unique is already in use. Choose another one.'],
  'entity.db_constraint_violated': [422, 'These items cannot be combined. Check that their types match.'],
  'entity.invalid_input': [422, 'The request changes nothing. Include at least one field.'],

  'user.username_already_in_use': [422, 'This username is already in use. Choose another one.'],
  'user.email_already_in_use': [422, 'This email address is already in use. Choose another one.'],
  'user.phone_already_in_use': [422, 'This phone number is already in use. Choose another one.'],
  'user.invalid_email': [422, 'No email can be sent to this address. Use an address such as jo@example.com.'],
  'user.invalid_phone': [422, 'This phone number is not valid. Include the country code and every digit.'],
  'user.suspended': [422, 'This user is suspended. Reactivate the user first.'],
  'user.invalid_role_type': [422, 'Users can only have roles of type User. Choose such a role.'],
  'user.identity_already_in_use': [422, 'This identity is already linked to a user. Unlink it there first.'],

  'session.invalid_credentials': [422, 'The credentials are incorrect. Check the identifier and the password.'],
  'session.not_found': [404, 'This sign-in is unknown or has expired. Start again from the application.'],
  'session.conflict': [409, 'Another request has changed this sign-in. Read its state and continue from there.'],
  'session.forbidden': [403, 'The CSRF token is missing or wrong. Get a new one and try again.'],
  'session.not_allowed': [422, 'The sign-in settings do not allow this. Use a method that they enable.'],
  'identifier.invalid': [422, 'This identifier is not valid, or its type is not enabled. Check its spelling and type.'],
  'session.unknown_account': [422, 'No account has this identifier. Check its spelling, or register.'],
  'session.identifier_required': [422, 'No user has been identified yet. Identify the user first.'],
  'session.verification_not_found': [422, 'This verification is unknown or not complete. Complete it first.'],
  'session.mfa_required': [422, 'A second factor must be verified first. Verify one, then submit again.'],
  'session.mfa_enrolment_required': [422, 'A second factor must be set up first. Add one, then submit again.'],
  'session.missing_profile': [422, 'The account lacks required data. Provide what `data` names, then submit again.'],
  'session.sso_required': [
    422,
    'This account uses single sign-on. Continue with the connector that `data.target` names.',
  ],
  'session.email_not_verified': [
    422,
    'The identity provider does not report this email address as verified. Verify it there first.',
  ],
  'session.social_failed': [422, 'The identity provider could not confirm the identity. Try again.'],
  'verification_code.invalid': [422, 'The code is wrong, already used or expired. Request a new one.'],
  'verification_code.unavailable': [422, 'No verification code can be sent this way. Configure email or SMS first.'],
  'factor.invalid_code': [422, 'The factor could not be verified. Try again with a current code or with the passkey.'],
  'factor.already_held': [422, 'The account already has a factor of this kind. Replace it on the account page.'],
  'factor.is_last': [422, 'The account must keep a second factor. Add another one first.'],
  'factor.not_allowed': [422, 'This kind of factor is not enabled. Use one that the sign-in settings list.'],
  'password.too_short': [422, 'The password is too short. Choose a longer one.'],
  'password.too_common': [422, 'The password is too common or too easy to guess. Choose another one.'],
  'password.too_long': [422, 'The password is too long. Choose a shorter one.'],
  'password.unsupported_digest': [
    422,
    'The password digest does not fit its algorithm, or is too expensive to verify. Have the user reset the password.',
  ],

  'connector.target_in_use': [422, 'Another connector already uses this target. Choose another one.'],
  'connector.domain_in_use': [422, 'Another connector already uses one of these domains. Remove it there first.'],
  'connector.has_identities': [
    422,
    'The target cannot be changed because accounts are linked by it. Add another connector instead.',
  ],

  'role.name_in_use': [422, 'This role name is already in use. Choose another one.'],
  'role.scope_exists': [422, 'The role already has one of these scopes. Send only new scopes.'],
  'role.user_exists': [422, 'One of these users already has the role. Send only new users.'],
  'role.application_exists': [422, 'One of these applications already has the role. Send only new applications.'],
  'role.management_api_scopes_not_assignable_to_user_role': [
    400,
    'Management API scopes can only be assigned to roles of type MachineToMachine. Choose such a role.',
  ],

  'resource.resource_identifier_in_use': [422, 'This resource indicator is already in use. Choose another one.'],
  'resource.cannot_modify_management_api': [
    400,
    "The service's own resources cannot be changed. Create a resource for your API.",
  ],
  'resource.cannot_delete_management_api': [400, "The service's own resources cannot be deleted. Leave them in place."],
  'scope.name_with_space': [400, 'A scope name cannot contain white space. Separate its parts with a colon.'],
  'scope.name_exists': [422, 'The resource already has a scope with this name. Choose another name.'],
  'scope.name_reserved': [422, 'This scope name is reserved by OpenID Connect. Choose another name.'],

  'impersonation.context_required': [
    422,
    'The impersonation policy requires more context. Add what `data.keys` lists.',
  ],
  'impersonation.subject_protected': [422, 'The impersonation policy protects this user. Choose another user.'],
  'impersonation.actor_not_allowed': [
    422,
    'The impersonation policy does not allow this actor. Assign one of the allowed roles to the actor.',
  ],

  'organization.require_membership': [422, 'The organization has no such member. Add the member first.'],

  'application.secret_name_exists': [422, 'The application already has a secret with this name. Choose another name.'],
  'application.secret_not_supported': [422, 'A public application has no secrets. Let it use PKCE instead.'],
  'application.third_party_application_cannot_enable_token_exchange': [
    422,
    'A third-party application cannot use token exchange. Use a first-party application.',
  ],
  'application.invalid_third_party_application_type': [
    400,
    'This type cannot be third-party. Use the type Traditional, SPA or Native.',
  ],
  'application.invalid_role_type': [
    422,
    'Applications can only have roles of type MachineToMachine. Choose such a role.',
  ],

  'jwt_customizer.general': [422, 'The script failed. Correct what `data.message` describes.'],

  'tenant.suspended': [403, 'This tenant is suspended. Ask the operator to reactivate it.'],
  'tenant.is_default': [422, 'The default tenant cannot be suspended or deleted. Choose another tenant.'],
  'administrator.is_last': [
    422,
    'No other owner of this tenant can sign in. Give another administrator the role owner first.',
  ],
  'administrator.role_required': [403, 'Your role does not allow this. Ask an owner of the tenant.'],
  'signing_key.is_current': [422, 'The current signing key cannot be deleted. Rotate the keys first.'],

  'hook.limit_reached': [422, 'The tenant has reached its maximum number of webhooks. Delete one first.'],
  'hook.missing_events': [400, 'A webhook needs at least one event. Add one.'],
  'hook.send_test_payload_failed': [422, 'The test event could not be sent. Check that the endpoint is reachable.'],
  'hook.endpoint_responded_with_error': [
    422,
    'The endpoint responded with an error. Any 2xx response counts as delivered.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof catalogue;

export interface ServiceErrorOptions {
  /** Only for the few codes that have a second status. */
  status?: number;
  /** Replaces the message of the catalogue with a more specific one. */
  message?: string;
  /** Facts for programs, as JSON. Never contains a secret, or an id that the caller did not send. */
  data?: Record<string, unknown>;
  /** One line per fault, each with its JSON path. */
  details?: string;
  headers?: Record<string, string>;
}

/** The only error whose text reaches a caller. Any other error is reported as `internal`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly data: Record<string, unknown> | undefined;
  readonly details: string | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, { status, message, data, details, headers = {} }: ServiceErrorOptions = {}) {
    super(message ?? messageOf(code));
    this.name = 'ServiceError';
    this.code = code;
    this.status = status ?? statusOf(code);
    this.data = data;
    this.details = details;
    this.headers = headers;
  }
}

/**
 * Returns `entity.relation_foreign_key_not_found`, naming the field of the body that refers to an unknown item.
 *
 * @param status when it is not the usual 404
 */
export const foreignKeyNotFound = (field: string, status?: 422): ServiceError =>
  new ServiceError('entity.relation_foreign_key_not_found', {
    ...(status && { status }),
    message: `${field} refers to an item that does not exist in this tenant.`,
    data: { member: field },
    details: `body.${field}: does not exist in this tenant`,
  });

export const errorCodes = Object.keys(catalogue) as ErrorCode[];
/** Returns the usual status of a code, which is also the one in the OpenAPI document. */
export const statusOf = (code: ErrorCode): number => catalogue[code][0];
export const messageOf = (code: ErrorCode): string => catalogue[code][1];
