import type { TSchema } from 'typebox';
import { adminOperations } from '../../src/admin/tenants.ts';
import { ADMINISTRATOR_ROLES } from '../../src/base/administrator-role.ts';
import { RESERVED_CLAIMS } from '../../src/custom-claims/reserved-claims.ts';
import { type EventType, eventTypes } from '../../src/events/catalogue.ts';
import { namedSchemas } from '../../src/http/openapi/schemas.ts';
import type { Operation } from '../../src/http/operations/operation.ts';
import { operations } from '../../src/management/index.ts';
import { completionEvents } from '../../src/sign-in/interaction/complete.ts';
import { table } from './table.ts';

const code = (text: string): string => `\`${text}\``;

interface ObjectSchema {
  properties?: Record<string, TSchema>;
  required?: string[];
  anyOf?: TSchema[];
}

/** Returns the properties of an object schema, or of all branches of a union: `name`, `description?`. */
function fieldsOf(schema: TSchema | undefined): string[] {
  const { properties = {}, required = [], anyOf = [] } = (schema ?? {}) as ObjectSchema;
  const own = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return [...new Set([...own, ...anyOf.flatMap(fieldsOf)])];
}

function requestOf({ query, body, paginated }: Operation): string {
  const searched = fieldsOf(query).map((name) => name.replace(/^(search|mode)\.\w+/, '$1.<field>'));
  const inQuery = [...new Set(searched), ...(paginated ? ['page?', 'page_size?'] : [])];
  const inBody = fieldsOf(body);
  const parts = [
    inQuery.length > 0 && `query ${inQuery.map(code).join(', ')}`,
    inBody.length > 0 && `body ${inBody.map(code).join(', ')}`,
  ];
  return parts.filter((part) => part !== false).join('; ');
}

const eventsOf = ({ event, furtherEvents = [] }: Operation): EventType[] => [
  ...(event ? [event] : []),
  ...furtherEvents.map(({ event }) => event),
];

const errorsOf = ({ errors = [] }: Operation): string =>
  errors.map((error) => (typeof error === 'string' ? code(error) : `${code(error[0])} (${error[1]})`)).join(', ');

const successOf = ({ status, otherStatus }: Operation): string =>
  [status, otherStatus].filter((one) => one !== undefined).join(' or ');

const rowOf = (operation: Operation): string[] => [
  `${code(operation.route)}<br>${operation.summary}`,
  requestOf(operation),
  successOf(operation),
  eventsOf(operation).map(code).join(', '),
  errorsOf(operation),
];

const HEAD = ['Operation', 'Request', 'Success', 'Events', 'Errors of its own'];

/** Where each event comes from: operations, then flows of the sign-in pages. */
function sourcesOf(type: EventType): string {
  const routes = operations.filter((operation) => eventsOf(operation).includes(type)).map(({ route }) => code(route));
  const flows = Object.entries(completionEvents).filter(([, events]) => Object.values<string>(events).includes(type));
  return [...routes, ...flows.map(([flow]) => `interaction ${code(flow)}`)].join(', ');
}

const roleOf = ({ role, roleInDefault = role }: Operation): string =>
  role === roleInDefault ? role : `${role} (${roleInDefault} in \`default\`)`;

/** The roles that an operation is for, a row per path and a column per least role, with the methods in the cells. */
function administratorRoles(): string {
  const all: readonly Operation[] = [...operations, ...adminOperations];
  const roles = [...new Set([...ADMINISTRATOR_ROLES, ...all.map(roleOf)])];
  const byPath = Map.groupBy(all, ({ path }) => path);
  const rows = [...byPath].map(([path, those]) => [
    code(path),
    ...roles.map((role) =>
      those
        .filter((one) => roleOf(one) === role)
        .map(({ method }) => method)
        .join(', '),
    ),
  ]);
  return table(['Path', ...roles], rows);
}

/** The generated parts of documents, by name. */
export const contractTables: Readonly<Record<string, () => string>> = {
  'administrator-roles': administratorRoles,
  operations: () => table(HEAD, operations.map(rowOf)),
  'operator-operations': () => table(HEAD, adminOperations.map(rowOf)),
  fields: () =>
    table(
      ['Resource', 'Fields'],
      Object.entries(namedSchemas()).map(([name, schema]) => [
        name,
        fieldsOf(schema as TSchema)
          .map(code)
          .join(', '),
      ]),
    ),
  'reserved-claims': () => [...RESERVED_CLAIMS].map(code).join(', '),
  events: () =>
    table(
      ['Event', 'Sent by'],
      eventTypes.map((type) => [code(type), sourcesOf(type)]),
    ),
};

/** The documents below `docs/` that have generated tables. */
export const DOCUMENTS_WITH_TABLES = ['wire-contract.md', 'console.md'];

/** Returns the document with the text between `<!-- generated: NAME -->` and `<!-- end -->` replaced. */
export const withTables = (document: string): string =>
  document.replace(
    /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const write = contractTables[name];
      if (!write) throw new Error(`There is no generated part named ${name}.`);
      return `${start}${write()}\n${end}`;
    },
  );
