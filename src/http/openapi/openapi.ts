import type { TSchema } from 'typebox';
import { exampleOf } from '../../base/example.ts';
import { catalogue, type EventType, eventTypes } from '../../events/catalogue.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Operation } from '../operations/operation.ts';
import { close } from '../operations/validate.ts';
import { errorComponents, errorResponsesOf } from './errors.ts';
import { namedSchemas, referring } from './schemas.ts';

type Json = Record<string, unknown>;

const TAGS: Record<string, string> = {
  users: 'Users',
  roles: 'Roles',
  resources: 'API resources',
  applications: 'Applications',
  organizations: 'Organizations',
  'organization-roles': 'Organization roles',
  'organization-scopes': 'Organization scopes',
  'subject-tokens': 'Impersonation',
  impersonations: 'Impersonation',
  'jwt-customizer': 'Custom claims',
  hooks: 'Webhooks',
  logs: 'Audit log',
  tenants: 'Tenants',
};

/** The heading of an operation, from the first segment of its path that names a resource. */
function tagOf(path: string): string {
  const words = path.split('/').slice(1);
  return TAGS[words[0] === 'configs' ? (words[1] ?? '') : (words[0] ?? '')] ?? 'Settings';
}

/** `PATCH /users/:userId/custom-data` → `patchUsersByUserIdCustomData` */
function operationIdOf({ method, path }: Operation): string {
  const words = path.replaceAll('/:', '/by-').split(/[/-]/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

const propertiesOf = (schema: TSchema | undefined): [string, TSchema][] =>
  Object.entries((schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {});

const PAGE = { type: 'integer', minimum: 1, default: 1 };
const PAGE_SIZE = { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE };

function parametersOf({ path, params, query, paginated }: Operation): Json[] {
  const formOf = new Map(propertiesOf(params));
  const required = new Set((query as { required?: string[] } | undefined)?.required ?? []);
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: formOf.get(name) ?? { type: 'string' },
  }));
  const inQuery = propertiesOf(query).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema,
  }));
  const pages = [
    { name: 'page', in: 'query', schema: PAGE },
    { name: 'page_size', in: 'query', schema: PAGE_SIZE },
  ];
  return [...inPath, ...inQuery, ...(paginated ? pages : [])];
}

const PAGE_HEADERS = {
  'Total-Number': { description: 'Number of items on all pages', schema: { type: 'integer' } },
  Link: { description: 'Links to the first, prev, next and last page (RFC 8288)', schema: { type: 'string' } },
};

function successOf({ returns, contentType, paginated }: Operation, status: number): Json {
  if (contentType) return { description: 'Success', content: { [contentType]: { schema: { type: 'string' } } } };
  if (!returns || status === 204) return { description: 'Success, without a body' };
  return {
    description: 'Success',
    ...(paginated && { headers: PAGE_HEADERS }),
    content: { 'application/json': { schema: referring(returns), example: exampleOf(returns) } },
  };
}

function describe(operation: Operation): Json {
  const { path, summary, description, status, otherStatus, body, example } = operation;
  const parameters = parametersOf(operation);
  const events = [operation.event, ...(operation.furtherEvents ?? []).map(({ event }) => event)].filter(Boolean);
  return {
    tags: [tagOf(path)],
    operationId: operationIdOf(operation),
    summary,
    ...(description && { description }),
    ...(events.length > 0 && { 'x-events': events }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: close(body), example: example ?? exampleOf(body) } },
      },
    }),
    responses: {
      [status]: successOf(operation, status),
      ...(otherStatus && { [otherStatus]: successOf(operation, otherStatus) }),
      ...errorResponsesOf(operation),
    },
  };
}

/**
 * Fields of every event. An event of a Management API request has those of the request, and one of a sign-in those of
 * the interaction.
 */
const EVENT_FACTS = {
  event: { type: 'string' },
  createdAt: { type: 'string', format: 'date-time' },
  userAgent: { type: 'string' },
  ip: { type: 'string' },
  interactionEvent: { type: 'string', enum: ['Register', 'SignIn', 'ForgotPassword'] },
  sessionId: { type: 'string' },
  path: { type: 'string', description: 'Path of the request, without /api' },
  method: { type: 'string' },
  status: { type: 'integer' },
  params: { type: 'object', additionalProperties: { type: 'string' } },
  matchedRoute: { type: 'string', description: 'Route of the operation, without /api' },
  hookId: { type: 'string' },
};

/** Returns an event type as an OpenAPI webhook. */
function webhookOf(type: EventType): object {
  const { summary, data } = catalogue[type];
  const properties = { ...EVENT_FACTS, event: { const: type }, ...(data && { data: referring(data) }) };
  const schema = { type: 'object', required: ['event', 'createdAt', 'hookId'], properties };
  return {
    post: {
      tags: ['Events'],
      summary,
      security: [],
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Delivered. Any other response is retried.' } },
    },
  };
}

/** Returns the OpenAPI 3.1 document of these operations: paths, schemas, examples, errors, and events as `webhooks`. */
export function openApiDocument(
  operations: readonly Operation[],
  version: string,
  { title, scope }: { title: string; scope: string } = { title: 'Understudy Management API', scope: 'all' },
): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  const errors = errorComponents(operations);
  return {
    openapi: '3.1.1',
    info: {
      title,
      version,
      description: "Minor releases only add. Ignore fields you don't know.",
    },
    servers: [{ url: '.', description: 'The server that this document comes from' }],
    security: [{ machine: [] }],
    tags: [...new Set([...operations.map(({ path }) => tagOf(path)), 'Events'])].map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, webhookOf(type)])),
    components: {
      ...errors,
      schemas: { ...namedSchemas(), ...errors.schemas },
      securitySchemes: {
        machine: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `Access token of a machine-to-machine application with the scope \`${scope}\``,
        },
      },
    },
  };
}
