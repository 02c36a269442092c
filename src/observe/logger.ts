import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Never logged, whatever carries them. */
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
 * A path without the id of a sign-in, in both places where one stands: the pages and the resumed authorization request.
 * Readers of the log have no use for it, and only the browser that signs in should know it.
 */
const withoutInteraction = (path: unknown): unknown =>
  typeof path === 'string' ? path.replace(/(\/sign-in|\/oidc\/auth)\/[^/]+/, '$1/:uid') : path;

/** One line of JSON a record; readable on a terminal. */
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
