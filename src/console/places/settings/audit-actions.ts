import { adminOperations } from '../../../admin/tenants.ts';
import { operations } from '../../../management/index.ts';

/** Actions of the audit log as sentences: "Created user", or "Tried to create user" if it was rejected. */

/** Key → what is done. A user who is affected is named after the first "user". */
const OTHERS: Record<string, string> = {
  'Impersonation.Begin': 'Start impersonation of user',
  'Impersonation.End': 'End impersonation of user',
  'Impersonation.Refused': 'Start impersonation of user',
  'ExchangeTokenBy.AuthorizationCode': 'Issue token after sign-in to user',
  'ExchangeTokenBy.RefreshToken': 'Refresh token of user',
  'ExchangeTokenBy.ClientCredentials': 'Issue token to application',
  'ExchangeTokenBy.Unknown': 'Request token by unknown grant',
  'SignIn.SignIn': 'Sign in as user',
  'SignIn.Register': 'Register as user',
  'SignIn.ForgotPassword': 'Reset password of user',
  'SignIn.Password': 'Sign in with password as user',
  'SignIn.Consent': 'Grant access of application to user',
  'Account.SignOutOthers': 'End other sessions of user',
  'Account.Name': 'Change name of user',
  'Account.Username': 'Change username of user',
  'Account.Email': 'Change email address of user',
  'Account.Phone': 'Change phone number of user',
  'Account.Password': 'Change password of user',
  'Account.AddTotp': 'Add authenticator app of user',
  'Account.AddPasskey': 'Add passkey of user',
  'Account.AddBackupCodes': 'Add backup codes of user',
  'Account.RemoveFactor': 'Remove second factor of user',
  'Account.Link': 'Link social identity to user',
  'Account.Unlink': 'Unlink social identity from user',
  'Console.Administrator.Add': 'Add user as administrator',
  'Console.Administrator.Remove': 'Remove user as administrator',
  'Hook.Disabled': 'Disable failing webhook',
  'SigningKey.Publish': 'Publish next signing key',
  'SigningKey.Promote': 'Activate next signing key',
  'SigningKey.Retire': 'Retire previous signing key',
  'Management.PATCH /users/:userId/is-suspended': 'Suspend user',
  'Management.PATCH /tenants/:id': 'Update tenant',
  'Management.PATCH /resources/:id/is-default': 'Change default resource',
  'Management.POST /hooks/:id/test': 'Test webhook',
  'Management.POST /hooks/:id/deliveries/:deliveryId/redeliver': 'Redeliver event',
};

/** "Update the name or description of a scope" → "Update scope", "Revoke a subject token" → "Revoke subject token". */
const actionOf = (summary: string): string =>
  summary
    .replace(/^Update the name\b.* of /, 'Update ')
    .replace(/^Merge into\b/, 'Update')
    .replace(/(?:, | with | and | as | that | in this ).*$/, '')
    .replaceAll(/ (?:a|an|the) /g, ' ');

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ...[...operations, ...adminOperations]
    .filter(({ method }) => method !== 'GET')
    .map(({ route, summary }) => [`Management.${route}`, actionOf(summary)] as const),
  ...Object.entries(OTHERS),
]);

/** Verbs that do not just end in "ed". */
const PAST: Record<string, string> = {
  Cancel: 'Canceled',
  Reset: 'Reset',
  Send: 'Sent',
  Set: 'Set',
  Verify: 'Verified',
};

function inPast(action: string): string {
  const [verb = '', ...rest] = action.split(' ');
  return [PAST[verb] ?? `${verb}${verb.endsWith('e') ? 'd' : 'ed'}`, ...rest].join(' ');
}

const lowered = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

/** The route or the name of an action, without the prefix of Management API routes: `POST /users`. */
export const routeOf = (key: string): string => key.replace(/^Management\./, '');

interface Facts {
  key: string;
  isSuccess: boolean;
  /** Name of the affected user, if known. */
  user: string | undefined;
  /** Name of the user who acted as `user` until the impersonation was ended. */
  stopped: string | undefined;
  details: Record<string, unknown>;
}

/** "Created user Ada". An action of a later release has only its key. */
export function sentenceOf({ key, isSuccess, user, stopped, details }: Facts): string {
  const isReactivation = key.endsWith('/is-suspended') && details.isSuspended === false;
  const action = isReactivation ? 'Reactivate user' : ACTIONS.get(key);
  if (action === undefined) return routeOf(key);
  const sentence = isSuccess ? inPast(action) : `Tried to ${lowered(action)}`;
  const withUser = user === undefined ? sentence : sentence.replace(/\buser\b/, () => `user ${user}`);
  return stopped === undefined ? withUser : withUser.replace('impersonation', () => `${stopped}’s impersonation`);
}

/** Sentences to choose from, in alphabetical order. */
export const knownSentences: readonly string[] = [...new Set([...ACTIONS.values()].map(inPast))].sort();

/**
 * Returns the keys of the actions whose sentence (also with a user's name) or route is this text, in any case. If there are
 * none, of those that contain it. If there are none either, the text itself, as a key.
 */
export function keysOf(text: string): string[] {
  const typed = text.toLowerCase().replace(/^tried to /, '');
  const texts = [...ACTIONS].map(([key, action]) => ({
    key,
    names: [key, routeOf(key), action, inPast(action)].map((name) => name.toLowerCase()),
  }));
  const matching = (matches: (name: string) => boolean) =>
    texts.filter(({ names }) => names.some(matches)).map(({ key }) => key);
  for (const matches of [
    (name: string) => name === typed,
    (name: string) => typed.startsWith(`${name} `),
    (name: string) => name.includes(typed),
  ]) {
    const keys = matching(matches);
    if (keys.length > 0) return keys;
  }
  return [text];
}
