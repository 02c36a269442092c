/**
 * The texts that a tenant can replace, each with the placeholders that a replacement contains. Refusals, consent and
 * notices about changes of an account are not among them: they protect the user.
 */
export const CUSTOM_TEXTS = {
  'identifier.username': [],
  'identifier.email': [],
  'identifier.phone': [],
  'signIn.title': ['brand'],
  'signIn.for': ['application'],
  'signIn.create': [],
  'password.title': [],
  'password.forgot': [],
  'code.title': [],
  'register.title': ['brand'],
  'register.submit': [],
  'newPassword.titleRegister': [],
  'newPassword.titleReset': [],
  'forgot.title': [],
  'forgot.lead': [],
  'profile.title': [],
  'profile.lead': ['brand'],
  'enrol.title': [],
  'enrol.lead': [],
  'home.title': ['brand'],
  'home.lead': [],
  'signOut.doneTitle': [],
  'signOut.done': [],
  'legal.terms': [],
  'legal.privacy': [],
  'mail.subject': ['code', 'brand'],
  'mail.text': ['code', 'brand', 'minutes'],
  'mail.sms': ['code', 'brand', 'minutes'],
} as const satisfies Record<string, readonly string[]>;

export type CustomTextKey = keyof typeof CUSTOM_TEXTS;
/** Replacements by key. */
export type CustomTexts = Readonly<Record<string, string>>;

export const CUSTOM_TEXT_KEYS = Object.keys(CUSTOM_TEXTS) as CustomTextKey[];

const PLACEHOLDER = /\{(\w+)\}/g;

const isKey = (key: string): key is CustomTextKey => Object.hasOwn(CUSTOM_TEXTS, key);

/** Returns the fault of a replacement: it has the same placeholders as the text that it replaces. */
export function faultOfText(key: string, text: string): string | undefined {
  if (!isKey(key)) return 'is not a text that can be replaced';
  const expected: readonly string[] = CUSTOM_TEXTS[key];
  const found = new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  const missing = expected.find((name) => !found.has(name));
  if (missing !== undefined) return `must contain {${missing}}`;
  const unknown = [...found].find((name) => !expected.includes(name));
  return unknown === undefined ? undefined : `must not contain {${unknown}}`;
}

/** Replaces the placeholders of a text that has been checked. */
export const fill = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
