import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Fields that are never logged, at any of the top three levels of a record. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'client_secret',
  'clientSecret',
  'secret',
  'secretKey',
  'signingKey',
  'subject_token',
  'subjectToken',
  'actor_token',
  'access_token',
  'refresh_token',
];

/**
 * Returns a path without the id of the interaction, which occurs in the paths of the sign-in pages and of the resumed
 * authorization request. Only the browser that signs in should know it, and readers of the log do not need it.
 */
const withoutInteraction = (path: unknown): unknown =>
  typeof path === 'string' ? path.replace(/(\/sign-in|\/oidc\/auth)\/[^/]+/, '$1/:uid') : path;

/** Writes one line of JSON per record, or readable text on a terminal. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: undefined,
    serializers: { path: withoutInteraction },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  };
  if (destination) return pino(options, destination);
  if (!process.stdout.isTTY) return pino(options);
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { translateTime: 'HH:MM:ss', ignore: 'pid,hostname' } },
  });
}
