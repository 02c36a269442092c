import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { ConfigError, EnvironmentReader } from './reader.ts';
import { readTracing } from './tracing.ts';

export { ConfigError };

/** Layers that can confine a process that runs scripts, from the innermost outwards. See sandbox/README.md. */
export const SANDBOX_LAYERS = [
  'jitless',
  'permission',
  'no-inspector',
  'empty-environment',
  'unprivileged-user',
  'prlimit',
  'no-new-privileges',
  'no-network',
  'bwrap',
] as const;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const POSTGRES = ['postgres:', 'postgresql:'];
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128'];

export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback')
  );
}

function readEndpoint(reader: EnvironmentReader, port: number): URL {
  const fallback = new URL(`http://localhost:${port}`);
  const endpoint = reader.url('ENDPOINT', ['http:', 'https:']) ?? fallback;
  if (!endpoint.search && !endpoint.hash && !endpoint.username && !endpoint.password) return endpoint;
  reader.fault('ENDPOINT', 'a URL without credentials, query or fragment');
  return fallback;
}

function readHost(reader: EnvironmentReader): string | undefined {
  const host = reader.text('HOST');
  if (host === undefined || host === 'localhost' || isIP(host)) return host;
  return reader.fault('HOST', 'an IP address of this machine, or localhost');
}

function readMetricsPort(reader: EnvironmentReader, port: number): number | undefined {
  const metricsPort = reader.optionalInteger('METRICS_PORT', [0, 65_535]);
  if (metricsPort === port && port !== 0) reader.fault('METRICS_PORT', 'another port than PORT');
  return metricsPort;
}

function readSecretKey(reader: EnvironmentReader, name: string): Buffer | undefined {
  const text = reader.text(name);
  if (text === undefined) return undefined;
  const key = Buffer.from(text, 'base64');
  if (key.length === 32 && /^[A-Za-z0-9+/]{43}=$/.test(text)) return key;
  return reader.fault(name, '32 bytes in base64, as `openssl rand -base64 32` prints');
}

/** Accepts `true`, `false`, a number of hops, or addresses and networks separated by commas. */
function readTrustProxy(reader: EnvironmentReader): boolean | number | string {
  const text = reader.text('TRUST_PROXY');
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  if (/^\d+$/.test(text)) return Number(text);
  const names = ['loopback', 'linklocal', 'uniquelocal'];
  const known = (item: string) => names.includes(item) || ipaddr.isValid(item) || ipaddr.isValidCIDR(item);
  if (reader.list('TRUST_PROXY').every(known)) return text;
  reader.fault('TRUST_PROXY', 'true, false, a number of hops, or addresses and networks separated by commas');
  return false;
}

function readRetrySchedule(reader: EnvironmentReader): number[] | undefined {
  const items = reader.list('WEBHOOK_RETRY_SCHEDULE');
  if (items.length === 0) return undefined;
  if (items.every((item) => /^\d{1,7}$/.test(item))) return items.map(Number);
  return reader.fault('WEBHOOK_RETRY_SCHEDULE', 'seconds separated by commas, such as 0,5,60,300');
}

/** The configuration from the environment, read once. Nothing else in `src/` reads `process.env`. */
export type Config = ReturnType<typeof readConfig>;

/** @throws {ConfigError} naming every variable that is wrong */
export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const reader = new EnvironmentReader(env);
  const port = reader.integer('PORT', 3000, [0, 65_535]);
  const endpointUrl = readEndpoint(reader, port);
  const endpoint = endpointUrl.href.replace(/(?<!\/)\/+$/, '');
  const isLoopback = isLoopbackHost(endpointUrl.hostname);
  const databaseUrl = reader.url('DATABASE_URL', POSTGRES)?.href;
  const databaseDirectUrl = reader.url('DATABASE_DIRECT_URL', POSTGRES)?.href;
  if (databaseDirectUrl && !databaseUrl) reader.fault('DATABASE_URL', 'a URL, because DATABASE_DIRECT_URL is set');
  const secretKey = readSecretKey(reader, 'SECRET_KEY');
  if (databaseUrl && !isLoopback && !secretKey && !reader.text('SECRET_KEY')) {
    reader.fault('SECRET_KEY', '32 bytes in base64, because the database is PostgreSQL and ENDPOINT is not loopback');
  }
  const dataDir = reader.text('DATA_DIR') ?? './data';
  const allowedNetworks = reader.networks('WEBHOOK_ALLOWED_NETWORKS');
  const requestTimeoutMs = reader.integer('REQUEST_TIMEOUT_MS', 30_000, [100, 600_000]);
  const timeoutMs = reader.integer('WEBHOOK_TIMEOUT_MS', 15_000, [1_000, 30_000]);

  const config = {
    port,
    /** The address to listen on, also for `metricsPort`. Undefined: all addresses of this machine. */
    host: readHost(reader),
    /** Public base URL of the default tenant, without a trailing slash. */
    endpoint,
    isLoopback,
    /** PostgreSQL when set; otherwise SQLite in `dataDir`. */
    databaseUrl,
    /** Bypasses a connection pooler, for work that needs its own session: notices between processes, and migrations. */
    databaseDirectUrl,
    databasePoolSize: reader.integer('DATABASE_POOL_SIZE', 10, [2, 200]),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    /** 32 bytes. Undefined: created in `dataDir` at the first start. */
    secretKey,
    /** Opens what the previous key sealed, until `npm run cli -- rotate-secret-key` has sealed it again. */
    previousSecretKey: readSecretKey(reader, 'SECRET_KEY_PREVIOUS'),
    /** Days after which a signing key is replaced, for tenants without a setting. Undefined: no automatic rotation. */
    signingKeyRotationDays: reader.optionalInteger('SIGNING_KEY_ROTATION_DAYS', [1, 3_650]),
    managementApiIndicator:
      reader.url('MANAGEMENT_API_INDICATOR', ['http:', 'https:']) === undefined
        ? `${endpoint}/api`
        : (reader.text('MANAGEMENT_API_INDICATOR') as string), // Not normalized: indicators are compared exactly.
    /** Express's `trust proxy`: the peers whose forwarding headers name the client. */
    trustProxy: readTrustProxy(reader),
    logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    demo: reader.boolean('DEMO') ?? isLoopback,
    sandbox: {
      runners: reader.integer('SANDBOX_RUNNERS', Math.max(1, availableParallelism() - 1), [1, 64]),
      timeoutMs: reader.integer('SANDBOX_TIMEOUT_MS', 1_000, [10, 10_000]),
      memoryMb: reader.integer('SANDBOX_MEMORY_MB', 16, [8, 256]),
      isolation: reader.oneOf('SANDBOX_ISOLATION', ['shared', 'runner-per-tenant'], 'shared'),
      require: reader.someOf('SANDBOX_REQUIRE', SANDBOX_LAYERS),
      /** Host names that scripts may call with `fetch`. If empty, scripts have no `fetch`. */
      fetchAllowedHosts: reader.hosts('SCRIPT_FETCH_ALLOWED_HOSTS'),
    },
    webhooks: {
      allowedNetworks: allowedNetworks ?? (isLoopback ? LOOPBACK_NETWORKS : []),
      /** True if `allowedNetworks` contains loopback by default, because nothing is configured. */
      loopbackByDefault: allowedNetworks === undefined && isLoopback,
      timeoutMs,
      retryScheduleSeconds: readRetrySchedule(reader),
      perHookConcurrency: reader.integer('WEBHOOK_PER_HOOK_CONCURRENCY', 8, [1, 64]),
      concurrency: reader.integer('WEBHOOK_CONCURRENCY', 64, [1, 1_024]),
      maxResponseBytes: reader.integer('WEBHOOK_MAX_RESPONSE_BYTES', 65_536, [0, 1_048_576]),
      leaseMs: reader.integer('WEBHOOK_LEASE_MS', timeoutMs + 15_000, [timeoutMs + 1_000, 600_000]),
      proxyUrl: reader.url('WEBHOOK_PROXY_URL', ['http:', 'https:'])?.href,
    },
    messages: {
      /** `smtp://` or `smtps://`, optionally with credentials. */
      smtpUrl: reader.url('SMTP_URL', ['smtp:', 'smtps:'])?.href,
      /** Receives `POST { to, text }` as JSON and sends the SMS. */
      smsUrl: reader.url('SMS_URL', ['http:', 'https:'])?.href,
      /** Sender address of emails. */
      from: reader.text('MAIL_FROM') ?? `no-reply@${endpointUrl.hostname}`,
      /** Folder for messages without a configured sender. Undefined: such messages cannot be sent. */
      outbox: isLoopback ? join(resolve(dataDir), 'outbox') : undefined,
    },
    /** Requests per minute: for one client from one address, or for one address without an authenticated client. */
    rateLimits: {
      token: reader.integer('RATE_LIMIT_TOKEN', 1_200, [1, 100_000_000]),
      'subject-tokens': reader.integer('RATE_LIMIT_SUBJECT_TOKENS', 600, [1, 100_000_000]),
      authorization: reader.integer('RATE_LIMIT_AUTHORIZATION', 600, [1, 100_000_000]),
    },
    metricsPort: readMetricsPort(reader, port),
    /** Undefined: tracing is off. */
    tracing: readTracing(reader),
    /** Limits of one process. It refuses requests beyond them. */
    limits: {
      /** Further connections are closed immediately. */
      maxConnections: reader.integer('MAX_CONNECTIONS', 4_096, [2, 1_000_000]),
      /** Requests in progress at the same time. */
      maxRequests: reader.integer('MAX_REQUESTS', 1_024, [1, 100_000]),
      maxEventLoopDelayMs: reader.integer('MAX_EVENT_LOOP_DELAY_MS', 1_000, [10, 60_000]),
      /** Time from the connection, or the first byte of a later request, to the end of the head. */
      headersTimeoutMs: reader.integer('HEADERS_TIMEOUT_MS', Math.min(10_000, requestTimeoutMs), [
        100,
        requestTimeoutMs,
      ]),
      /** Time for the client to send the request, and again to read the rest of the response once it is written. */
      requestTimeoutMs,
      /** Idle time between two requests. Must be longer than a proxy's, which would otherwise use a closed connection. */
      keepAliveTimeoutMs: reader.integer('KEEP_ALIVE_TIMEOUT_MS', 65_000, [0, 600_000]),
    },
  };
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return Object.freeze(config);
}
