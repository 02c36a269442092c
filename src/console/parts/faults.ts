import type { ErrorCode } from '../../errors.ts';
import type { RefusedForm } from '../route.ts';

/** Validation errors of a form: `fields` are shown next to their fields, `general` above all of them. */
export interface Faults {
  general: string | undefined;
  fields: ReadonlyMap<string, string>;
}

/** Error codes that concern a single field. */
const FIELD_OF: Partial<Record<ErrorCode, string>> = {
  'user.username_already_in_use': 'username',
  'user.email_already_in_use': 'primaryEmail',
  'user.phone_already_in_use': 'primaryPhone',
  'user.invalid_email': 'primaryEmail',
  'user.invalid_phone': 'primaryPhone',
  'role.name_in_use': 'name',
  'resource.resource_identifier_in_use': 'indicator',
  'scope.name_exists': 'name',
  'scope.name_reserved': 'name',
  'scope.name_with_space': 'name',
  'application.secret_name_exists': 'name',
  'connector.target_in_use': 'target',
  'connector.domain_in_use': 'domains',
  'connector.has_identities': 'target',
  'hook.missing_events': 'events',
  'password.too_short': 'password',
  'password.too_common': 'password',
  'password.too_long': 'password',
};

/** Shown if a field has no better instruction: see `format` of `FieldParts`. */
export const INVALID_FORMAT = 'This format is not valid.';

/** Validation messages, with the instruction that is shown instead. The first match wins. */
const WORDS: [RegExp, (match: RegExpExecArray) => string][] = [
  [/is required/, () => 'Enter a value.'],
  [/fewer than 1 characters/, () => 'Enter a value.'],
  [/fewer than 1 items/, () => 'Choose at least one.'],
  [/fewer than (\d+) characters/, ([, count]) => `Enter at least ${count} characters.`],
  [/more than (\d+) characters/, ([, count]) => `Enter at most ${count} characters.`],
  [/fewer than (\d+) items/, ([, count]) => `Choose at least ${count}.`],
  [/more than (\d+) items/, ([, count]) => `Choose at most ${count}.`],
  [/must be (?:number|integer)/, () => 'Enter a number.'],
  [/must be >= (\S+)/, ([, least]) => `Enter ${least} or more.`],
  [/must be <= (\S+)/, ([, most]) => `Enter ${most} or less.`],
  [/must be one of (.+)/, ([, values]) => `Choose one of ${values}.`],
  [/must match format "(?:uri|url)"|absolute http/, () => 'Enter a full URL, such as https://example.com.'],
  [/must match pattern|must match format/, () => INVALID_FORMAT],
  [/must be object/, () => 'Enter a JSON object, such as {}.'],
];

function inWords(text: string): string {
  for (const [pattern, words] of WORDS) {
    const match = pattern.exec(text);
    if (match) return words(match);
  }
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Reads the errors of a refused form. `details` has one line per error: `body.endpoints[0]: must be …`. */
export function faultsOf(refused: RefusedForm | undefined): Faults {
  const fields = new Map<string, string>();
  if (!refused) return { general: undefined, fields };
  const { code, message, details, data } = refused.error;
  const field = FIELD_OF[code];
  if (field) fields.set(field, message);
  for (const [name, text] of Object.entries((data?.faults ?? {}) as Record<string, string>)) fields.set(name, text);
  for (const line of details?.split('\n') ?? []) {
    const [, name, text] = /^body\.([\w.]+)(?:[^\w.:][^:]*)?: (.*)$/.exec(line) ?? [];
    if (name && text && !fields.has(name)) fields.set(name, inWords(text));
  }
  return { general: fields.size > 0 ? undefined : [message, details].filter(Boolean).join(' '), fields };
}
