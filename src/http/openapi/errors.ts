import { type ErrorCode, messageOf, statusOf } from '../../errors.ts';
import type { Operation } from '../operations/operation.ts';

/** What any call may be answered with, whatever it asks for: described once. */
const ANYWHERE: ErrorCode[] = [
  'auth.authorization_header_missing',
  'auth.authorization_token_type_not_supported',
  'auth.jwt_sub_missing',
  'auth.unauthorized',
  'auth.forbidden',
  'request.too_large',
  'request.unsupported_media_type',
  'request.unknown_host',
  'tenant.suspended',
];

type ByStatus = [status: number, codes: ErrorCode[]][];

/** In the order of the statuses, each with its codes. */
function grouped(errors: NonNullable<Operation['errors']>): ByStatus {
  const pairs = errors.map((error) =>
    typeof error === 'string' ? ([statusOf(error), error] as const) : ([error[1], error[0]] as const),
  );
  const byStatus = Map.groupBy(pairs, ([status]) => status);
  const codes = [...byStatus].map(([status, pairs]): ByStatus[number] => [status, pairs.map(([, code]) => code)]);
  return codes.toSorted(([one], [other]) => one - other);
}

const FAULT = { $ref: '#/components/schemas/Error' };

/** One answer for all codes of a status, each shown as an example. */
function responseOf(codes: readonly ErrorCode[]): object {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    content: { 'application/json': { schema: FAULT, examples } },
  };
}

/** The answers of an operation that are not a success. */
export function errorResponsesOf({ errors = [], body, paginated }: Operation): Record<string, object> {
  const own: NonNullable<Operation['errors']> = ['guard.invalid_input', ...errors];
  if (body) own.push('request.malformed_json');
  if (paginated) own.push('guard.invalid_pagination');
  const refer = ([status]: ByStatus[number]) => [status, { $ref: `#/components/responses/${status}` }];
  return Object.fromEntries([
    ...grouped(ANYWHERE).map(refer),
    ...grouped(own).map(([status, codes]) => [status, responseOf(codes)]),
  ]);
}

const ERROR = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'A contract: never renamed, never reused' },
    message: { type: 'string', description: 'For people' },
    data: { type: 'object' },
    details: { type: 'string', description: 'One line for each fault, with its JSON path' },
  },
};

/** What the answers above refer to. */
export function errorComponents(operations: readonly Operation[]) {
  const own = operations.flatMap(({ errors = [] }) =>
    errors.map((error) => (typeof error === 'string' ? error : error[0])),
  );
  const codes: ErrorCode[] = [
    'guard.invalid_input',
    'guard.invalid_pagination',
    'request.malformed_json',
    ...ANYWHERE,
    ...own,
  ];
  return {
    schemas: { Error: ERROR },
    responses: Object.fromEntries(grouped(ANYWHERE).map(([status, codes]) => [status, responseOf(codes)])),
    examples: Object.fromEntries(codes.map((code) => [code, { value: { code, message: messageOf(code) } }])),
  };
}
