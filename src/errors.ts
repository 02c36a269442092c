/** Every answer that is not a success, by code. A code is public: never renamed, never reused. */
const catalogue = {
  internal: { status: 500, message: 'The service failed. The request id identifies the failure in its log.' },

  'request.malformed_json': { status: 400, message: 'The body is not valid JSON.' },
  'request.invalid_input': { status: 400, message: 'The search parameters are not valid.' },
  'request.too_large': { status: 413, message: 'The body is too large.' },
  'request.unsupported_media_type': { status: 415, message: 'The body must be sent as application/json.' },
  'request.not_found': { status: 404, message: 'There is no such path.' },
  'request.unknown_host': { status: 421, message: 'No tenant is served at this address.' },
  'request.invalid_host': { status: 400, message: 'The request must name one valid host.' },
  'request.too_many_headers': { status: 431, message: 'The request has too many headers.' },
  'request.rate_limited': { status: 429, message: 'Too many requests. Retry-After tells when to try again.' },
  'request.unavailable': { status: 503, message: 'The service cannot answer now. Try again shortly.' },

  'guard.invalid_input': { status: 400, message: 'The request does not match the schema of this operation.' },
  'guard.invalid_pagination': {
    status: 400,
    message: 'page and page_size must be positive integers; page_size at most 100.',
  },

  'auth.authorization_header_missing': { status: 401, message: 'The Authorization header is missing.' },
  'auth.authorization_token_type_not_supported': {
    status: 401,
    message: 'The Authorization header must carry a Bearer token.',
  },
  'auth.jwt_sub_missing': { status: 401, message: 'The access token names no subject.' },
  'auth.unauthorized': { status: 401, message: 'The access token is not valid here.' },
  'auth.forbidden': { status: 403, message: 'The access token lacks the scope this operation needs.' },

  'entity.not_exists_with_id': { status: 404, message: 'Nothing with this id exists in this tenant.' },
  'entity.not_exists': { status: 404, message: 'The thing to change does not exist in this tenant.' },
  'entity.not_found': { status: 404, message: 'It was not found in this tenant.' },
  'entity.relation_foreign_key_not_found': {
    status: 404,
    message: 'The request refers to something that does not exist in this tenant.',
  },
  'entity.unique_integrity_violation': { status: 422, message: 'A value that must be unique is already in use.' },
  'entity.db_constraint_violated': { status: 422, message: 'The change would break a rule of the data.' },
  'entity.invalid_input': { status: 422, message: 'There is nothing to change in the request.' },

  'user.username_already_in_use': { status: 422, message: 'This username is already in use.' },
  'user.email_already_in_use': { status: 422, message: 'This e-mail address is already in use.' },
  'user.phone_already_in_use': { status: 422, message: 'This phone number is already in use.' },
  'user.invalid_email': { status: 422, message: 'This is not an e-mail address that mail can be sent to.' },
  'user.invalid_phone': {
    status: 422,
    message: 'This is not a phone number: it needs the country code and as many digits as numbers there have.',
  },
  'user.suspended': { status: 422, message: 'This user is suspended.' },
  'user.invalid_role_type': { status: 422, message: 'Only roles of type User can be given to a user.' },
  'user.identity_already_in_use': { status: 422, message: 'This identity is already linked to a user.' },
  'session.invalid_credentials': { status: 422, message: 'The credentials are not valid.' },
  'session.not_found': { status: 404, message: 'This sign-in is not known here, or has expired.' },
  'session.conflict': { status: 409, message: 'Another request of the same sign-in was faster.' },
  'session.forbidden': { status: 403, message: 'The CSRF token is missing or wrong.' },
  'session.not_allowed': { status: 422, message: 'The sign-in settings do not allow this.' },
  'identifier.invalid': { status: 422, message: 'This identifier is not valid, or not one of those that can be used.' },
  'session.unknown_account': { status: 422, message: 'No account has this identifier.' },
  'session.identifier_required': { status: 422, message: 'Nobody has been identified yet.' },
  'session.verification_not_found': { status: 422, message: 'This verification is not known, or not complete.' },
  'session.mfa_required': { status: 422, message: 'Another factor must be verified first.' },
  'session.mfa_enrolment_required': { status: 422, message: 'A second factor must be set up first.' },
  'session.missing_profile': { status: 422, message: 'The account lacks something the settings require.' },
  'session.sso_required': {
    status: 422,
    message: 'This account signs in with the identity provider of its organization; `data.target` names it.',
  },
  'session.email_not_verified': {
    status: 422,
    message: 'The identity provider does not say that it has verified this e-mail address.',
  },
  'session.social_failed': { status: 422, message: 'The identity provider did not confirm who it is.' },
  'verification_code.invalid': { status: 422, message: 'The code is wrong, was used, or has expired.' },
  'verification_code.unavailable': { status: 422, message: 'No sender is configured for such messages.' },
  'factor.invalid_code': { status: 422, message: 'The code of this factor is not valid.' },
  'factor.already_held': { status: 422, message: 'The account already holds a factor of this kind.' },
  'factor.is_last': { status: 422, message: 'A second factor is required here: add another one first.' },
  'factor.not_allowed': { status: 422, message: 'This kind of factor cannot be used here.' },
  'password.too_short': { status: 422, message: 'The password is too short.' },
  'password.too_common': { status: 422, message: 'The password is one of the most common ones.' },
  'password.too_long': { status: 422, message: 'The password is too long.' },
  'connector.target_in_use': { status: 422, message: 'This target is already in use.' },
  'connector.domain_in_use': { status: 422, message: 'One of these domains belongs to another connector.' },
  'connector.has_identities': {
    status: 422,
    message: 'Accounts are linked by this target, so it cannot be changed. Add another connector instead.',
  },
  'password.unsupported_digest': {
    status: 422,
    message: 'The password digest is not one of the named algorithm, or it costs too much to verify.',
  },

  'role.name_in_use': { status: 422, message: 'This role name is already in use.' },
  'role.scope_exists': { status: 422, message: 'The role already holds one of these scopes.' },
  'role.user_exists': { status: 422, message: 'One of these users already has the role.' },
  'role.application_exists': { status: 422, message: 'One of these applications already has the role.' },
  'role.management_api_scopes_not_assignable_to_user_role': {
    status: 400,
    message: 'Management API scopes can only be given to roles of type MachineToMachine.',
  },

  'resource.resource_identifier_in_use': { status: 422, message: 'This resource indicator is already in use.' },
  'resource.cannot_modify_management_api': {
    status: 400,
    message: 'A resource of the service itself cannot be changed.',
  },
  'resource.cannot_delete_management_api': {
    status: 400,
    message: 'A resource of the service itself cannot be deleted.',
  },
  'scope.name_with_space': { status: 400, message: 'A scope name cannot contain white space.' },
  'scope.name_exists': { status: 422, message: 'The resource already has a scope of this name.' },
  'scope.name_reserved': { status: 422, message: 'This name belongs to OpenID Connect and cannot be an API scope.' },

  'impersonation.context_required': { status: 422, message: 'The impersonation policy asks for more in the context.' },
  'impersonation.subject_protected': { status: 422, message: 'The impersonation policy protects this user.' },
  'impersonation.actor_not_allowed': {
    status: 422,
    message: 'The impersonation policy does not let this actor act for others.',
  },

  'organization.require_membership': { status: 422, message: 'The organization has no such member.' },

  'application.secret_name_exists': { status: 422, message: 'The application already has a secret of this name.' },
  'application.secret_not_supported': { status: 422, message: 'A public application has no secrets.' },
  'application.third_party_application_cannot_enable_token_exchange': {
    status: 422,
    message: 'A third-party application cannot use token exchange.',
  },
  'application.invalid_third_party_application_type': {
    status: 400,
    message: 'A third-party application must be of type Traditional, SPA or Native.',
  },
  'application.invalid_role_type': {
    status: 422,
    message: 'Only roles of type MachineToMachine can be given to an application.',
  },

  'jwt_customizer.general': { status: 422, message: 'The script failed.' },

  'tenant.suspended': { status: 403, message: 'This tenant is suspended.' },
  'tenant.is_default': { status: 422, message: 'The default tenant can be neither suspended nor deleted.' },
  'administrator.is_last': {
    status: 422,
    message: 'Nobody else who can sign in manages this tenant: add another administrator first.',
  },
  'signing_key.is_current': { status: 422, message: 'The key that signs cannot be deleted: rotate first.' },

  'hook.limit_reached': { status: 422, message: 'The tenant has as many webhooks as it can have.' },
  'hook.missing_events': { status: 400, message: 'A webhook needs at least one event.' },
  'hook.send_test_payload_failed': { status: 422, message: 'The test could not be sent.' },
  'hook.endpoint_responded_with_error': { status: 422, message: 'The receiver answered with an error.' },
} as const;

export type ErrorCode = keyof typeof catalogue;

export interface ServiceErrorOptions {
  /** Only for the few codes that `docs` and the contract give a second status. */
  status?: number;
  message?: string;
  /** Facts for programs, as JSON. Never an id that the caller did not name, never a secret. */
  data?: Record<string, unknown>;
  /** One line per fault, each with its JSON path. */
  details?: string;
  headers?: Record<string, string>;
}

/** The one error that reaches a caller of the Management API; everything else is answered as `internal`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly data: Record<string, unknown> | undefined;
  readonly details: string | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, { status, message, data, details, headers = {} }: ServiceErrorOptions = {}) {
    super(message ?? catalogue[code].message);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status ?? catalogue[code].status;
    this.data = data;
    this.details = details;
    this.headers = headers;
  }
}

/**
 * `entity.relation_foreign_key_not_found`, with the member of the body that refers to something unknown.
 *
 * @param status where it is not the usual 404
 */
export const foreignKeyNotFound = (member: string, status?: 422): ServiceError =>
  new ServiceError('entity.relation_foreign_key_not_found', {
    ...(status && { status }),
    message: `${member} refers to something that does not exist in this tenant.`,
    data: { member },
    details: `body.${member}: does not exist in this tenant`,
  });

/** The usual status of a code: what the OpenAPI document says of it. */
export const statusOf = (code: ErrorCode): number => catalogue[code].status;
export const messageOf = (code: ErrorCode): string => catalogue[code].message;
