/** The parts of our OpenAPI document that the reference shows. */

export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  schema: Schema;
}

interface Content {
  schema: Schema;
  example?: unknown;
}

interface ResponseParts {
  $ref?: string;
  description?: string;
  content?: Record<string, Content>;
}

interface Described {
  tags: [string];
  operationId: string;
  summary: string;
  description?: string;
  'x-events'?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, ResponseParts>;
}

export interface OpenApi {
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: { summary: string; requestBody: { content: Record<string, Content> } } }>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, ResponseParts>;
    examples: Record<string, { value: { message: string } }>;
  };
}

/** Codes of every operation with a body, or with pages. */
const GENERAL = ['guard.invalid_input', 'request.malformed_json', 'guard.invalid_pagination'];

/** An operation as a page shows it. */
export interface OperationEntry {
  id: string;
  method: string;
  path: string;
  summary: string;
  description?: string;
  parameters: Parameter[];
  body?: Content;
  success: { status: string; description: string; content?: Content };
  /** Codes that are specific to the operation, by status. */
  errors: [status: string, codes: string[]][];
  events: string[];
}

/** The operations of a kind of resource, which are one page. */
export interface Group {
  slug: string;
  name: string;
  operations: OperationEntry[];
}

const contentOf = ({ content = {} }: Pick<ResponseParts, 'content'>): Content | undefined => Object.values(content)[0];

const codesIn = (description = ''): string[] => [...description.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

function entryOf(path: string, method: string, described: Described): OperationEntry {
  const { operationId, summary, description, parameters = [], requestBody, responses } = described;
  const statuses = Object.entries(responses);
  const isSuccess = (status: string) => status.startsWith('2');
  const succeeded = statuses.filter(([status]) => isSuccess(status));
  const content = succeeded[0] && contentOf(succeeded[0][1]);
  const body = requestBody && contentOf(requestBody);
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    summary,
    ...(description && { description }),
    parameters,
    ...(body && { body }),
    success: {
      status: succeeded.map(([status]) => status).join(' or '),
      description: succeeded[0]?.[1].description ?? '',
      ...(content && { content }),
    },
    errors: statuses
      .filter(([status, response]) => !isSuccess(status) && !response.$ref)
      .map(([status, { description }]): OperationEntry['errors'][number] => [
        status,
        codesIn(description).filter((code) => !GENERAL.includes(code)),
      ])
      .filter(([, codes]) => codes.length > 0),
    events: described['x-events'] ?? [],
  };
}

/** Returns the groups in the order of the document. A group without operations, such as the events, is none. */
export function groupsOf({ tags, paths }: OpenApi): Group[] {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      tag: described.tags[0],
      entry: entryOf(path, method, described),
    })),
  );
  const groups = tags.map(({ name }) => ({
    slug: name.toLowerCase().replaceAll(' ', '-'),
    name,
    operations: entries.filter(({ tag }) => tag === name).map(({ entry }) => entry),
  }));
  return groups.filter(({ operations }) => operations.length > 0);
}

/** Returns the errors of every operation, by status. */
export const commonErrors = ({ components }: OpenApi): OperationEntry['errors'] => [
  ['400', GENERAL],
  ...Object.entries(components.responses).map(([status, { description }]): OperationEntry['errors'][number] => [
    status,
    codesIn(description),
  ]),
];
