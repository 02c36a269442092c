import type { ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import { databaseUnavailable, replyTo } from './error-body.ts';
import {
  GrantFailure,
  type IssuedToken,
  type Parties,
  type TokenAttempt,
  type TokenResponse,
} from './token-request.ts';

/** How a token request ended: its response and its records are made from this. */
export type Outcome =
  | ({ kind: 'issued' } & IssuedToken)
  | { kind: 'refused'; error: errors.OIDCProviderError; parties: Parties }
  /** `error` is for the client, `cause` for the log. */
  | { kind: 'failed'; error: errors.OIDCProviderError; cause: unknown };

class ServerError extends errors.OIDCProviderError {
  override readonly error_description = 'internal error';

  constructor() {
    super(500, 'server_error');
  }
}

/** Returns the outcome of a request in which a step threw this error. */
export function outcomeOf(error: unknown): Outcome {
  const [cause, parties] = error instanceof GrantFailure ? [error.cause, error.parties] : [error, {}];
  if (cause instanceof errors.OIDCProviderError && cause.expose) return { kind: 'refused', error: cause, parties };
  return { kind: 'failed', error: databaseUnavailable(cause) ?? new ServerError(), cause };
}

interface Reply {
  status: number;
  headers: Record<string, string>;
  body: TokenResponse | ReturnType<typeof replyTo>['body'];
}

const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;

function refusal(error: errors.OIDCProviderError, issuer: string, isBasic: boolean): Reply {
  const reply = replyTo(error);
  if (reply.status !== 401 || !isBasic) return reply;
  const [code, description] = [quoted(reply.body.error), quoted(reply.body.message)];
  const challenge = `Basic realm=${quoted(issuer)}, error=${code}, error_description=${description}`;
  return { ...reply, headers: { ...reply.headers, 'WWW-Authenticate': challenge } };
}

/** Sends the response of a token request. */
export function answer(
  { issuer }: { issuer: string },
  { request, allowedOrigin, facts }: TokenAttempt,
  outcome: Outcome,
  response: ServerResponse,
): void {
  const { status, headers, body }: Reply =
    outcome.kind === 'issued'
      ? { status: 200, headers: { 'Cache-Control': 'no-store' }, body: outcome.response }
      : refusal(outcome.error, issuer, request.headers.authorization !== undefined);
  const text = JSON.stringify(status >= 500 ? { ...body, requestId: facts.requestId } : body);
  response.writeHead(status, {
    ...(allowedOrigin && { 'Access-Control-Allow-Origin': allowedOrigin }),
    'Access-Control-Expose-Headers': 'WWW-Authenticate',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    Vary: 'Origin',
    ...headers,
  });
  response.end(text);
}
