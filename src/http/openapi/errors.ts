import { type ErrorCode, messageOf, statusOf } from '../../errors.ts';
import type { Operation } from '../operations/operation.ts';

/** Errors that any operation can return. They are described once, in `components.responses`. */
const COMMON_ERRORS: ErrorCode[] = [
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

/** Returns the codes by status, in the order of the statuses. */
function codesByStatus(errors: NonNullable<Operation['errors']>): ByStatus {
  const pairs = errors.map((error) =>
    typeof error === 'string' ? ([statusOf(error), error] as const) : ([error[1], error[0]] as const),
  );
  const byStatus = Map.groupBy(pairs, ([status]) => status);
  const codes = [...byStatus].map(([status, pairs]): ByStatus[number] => [status, pairs.map(([, code]) => code)]);
  return codes.toSorted(([one], [other]) => one - other);
}

const ERROR_REFERENCE = { $ref: '#/components/schemas/Error' };

/** Returns one response for all codes of a status, with an example of each. */
function responseOf(codes: readonly ErrorCode[]): object {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    content: { 'application/json': { schema: ERROR_REFERENCE, examples } },
  };
}

/** Returns the error responses of an operation, by status. */
export function errorResponsesOf({ errors = [], body, paginated }: Operation): Record<string, object> {
  const own: NonNullable<Operation['errors']> = ['guard.invalid_input', ...errors];
  if (body) own.push('request.malformed_json');
  if (paginated) own.push('guard.invalid_pagination');
  const refer = ([status]: ByStatus[number]) => [status, { $ref: `#/components/responses/${status}` }];
  return Object.fromEntries([
    ...codesByStatus(COMMON_ERRORS).map(refer),
    ...codesByStatus(own).map(([status, codes]) => [status, responseOf(codes)]),
  ]);
}

const ERROR = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'Stable: never renamed or reused' },
    message: { type: 'string', description: 'Explanation for humans; may change' },
    data: { type: 'object' },
    details: { type: 'string', description: 'One line per fault, each with its JSON path' },
  },
};

/** Returns the components that the error responses refer to. */
export function errorComponents(operations: readonly Operation[]) {
  const own = operations.flatMap(({ errors = [] }) =>
    errors.map((error) => (typeof error === 'string' ? error : error[0])),
  );
  const codes: ErrorCode[] = [
    'guard.invalid_input',
    'guard.invalid_pagination',
    'request.malformed_json',
    ...COMMON_ERRORS,
    ...own,
  ];
  return {
    schemas: { Error: ERROR },
    responses: Object.fromEntries(codesByStatus(COMMON_ERRORS).map(([status, codes]) => [status, responseOf(codes)])),
    examples: Object.fromEntries(codes.map((code) => [code, { value: { code, message: messageOf(code) } }])),
  };
}
