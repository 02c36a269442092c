import { type ErrorCode, messageOf, statusOf } from '../errors.ts';
import type { Operation } from './operation.ts';

/** What any call may be answered with. */
const ALWAYS: ErrorCode[] = [
  'guard.invalid_input',
  'auth.authorization_header_missing',
  'auth.authorization_token_type_not_supported',
  'auth.jwt_sub_missing',
  'auth.unauthorized',
  'auth.forbidden',
  'request.unknown_host',
];
const WITH_BODY: ErrorCode[] = ['request.malformed_json', 'request.too_large', 'request.unsupported_media_type'];

/** Status → the codes an operation may answer with it, in the order of the statuses. */
export function errorsOf({ errors = [], body, paginated }: Operation): [status: number, codes: ErrorCode[]][] {
  const shared = [
    ...ALWAYS,
    ...(body ? WITH_BODY : []),
    ...(paginated ? (['guard.invalid_pagination'] satisfies ErrorCode[]) : []),
  ];
  const pairs = [...shared, ...errors].map((error) =>
    typeof error === 'string' ? ([statusOf(error), error] as const) : ([error[1], error[0]] as const),
  );
  const byStatus = Map.groupBy(pairs, ([status]) => status);
  return [...byStatus]
    .map(([status, pairs]) => [status, pairs.map(([, code]) => code)] as [number, ErrorCode[]])
    .sort(([one], [other]) => one - other);
}

const Fault = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'A contract: never renamed, never reused' },
    message: { type: 'string', description: 'For people' },
    data: { type: 'object' },
    details: { type: 'string', description: 'One line for each fault, with its JSON path' },
  },
};

/** One answer for all codes of a status, each shown as an example. */
export function responseOfErrors(codes: readonly ErrorCode[]): object {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: { code, message: messageOf(code) } }]));
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    content: { 'application/json': { schema: Fault, examples } },
  };
}
