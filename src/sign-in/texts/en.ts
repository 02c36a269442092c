import { alternatives, type CodeFacts } from './facts.ts';
import { enFaults, UNCONFIRMED_PASSKEY } from './faults/en.ts';

/** Plain second person, present tense, sentence case. Refusals say what happened, then what to do. The other languages have the same keys. */
export const en = {
  /** BCP 47 tag, for the `lang` attribute and for dates. */
  language: 'en',
  /** In its own language, for the language switch. */
  name: 'English',
  identifier: {
    username: 'Username',
    email: 'Email address',
    phone: 'Phone number',
    /** The label of a field that accepts several identifiers. */
    any: (labels: readonly string[]) =>
      alternatives(
        labels.map((label, index) => (index === 0 ? label : label.toLowerCase())),
        ' or ',
      ),
  },
  common: {
    continue: 'Continue',
    change: 'Change',
    back: 'Back',
    /** The error of a field that was left empty. */
    empty: 'This field is required.',
    or: ' or ',
    show: 'Show',
    hide: 'Hide',
    copy: 'Copy',
    copied: 'Copied',
    signInInstead: 'Sign in instead',
    with: (name: string) => `Continue with ${name}`,
    language: 'Language',
  },
  legal: { terms: 'Terms of service', privacy: 'Privacy policy' },
  signIn: {
    title: (brand: string) => `Sign in to ${brand}`,
    for: (application: string) => `to continue to ${application}`,
    create: 'Create an account',
    passwordChanged: 'Your password has been changed. Sign in with your new password.',
  },
  password: {
    title: 'Enter your password',
    label: 'Password',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    useCode: 'Send me a code instead',
  },
  code: {
    title: 'Enter the code',
    sent: (destination: string, { digits, minutes }: CodeFacts) =>
      `If ${destination} can be used here, we've sent it a ${digits}-digit code. The code is valid for ${minutes} minutes.`,
    label: (digits: number) => `${digits}-digit code`,
    resend: 'Send a new code',
    resendIn: 'Send a new code in {seconds} s',
    usePassword: 'Use your password instead',
  },
  register: {
    title: (brand: string) => `Create your ${brand} account`,
    submit: 'Create account',
  },
  newPassword: {
    titleRegister: 'Choose a password',
    titleReset: 'Choose a new password',
    label: 'New password',
    hint: (length: number) =>
      `At least ${length} characters. A few unrelated words are easy to remember and hard to guess.`,
    submitReset: 'Change password',
  },
  forgot: {
    title: 'Reset your password',
    lead: "We'll send you a code that lets you choose a new password.",
    submit: 'Send code',
  },
  profile: {
    title: 'Complete your account',
    lead: (brand: string) => `${brand} needs this information to continue.`,
  },
  social: {
    exists: (email: string, provider: string) =>
      `An account with ${email} already exists. Confirm that it's yours, and you can sign in with ${provider} from now on.`,
  },
  singleSignOn: {
    title: (provider: string) => `Sign in with ${provider}`,
    lead: "Your organization manages this account. You can't sign in to it with a password or code.",
  },
  mfa: {
    title: "Confirm it's you",
    totpLead: 'Enter the code from your authenticator app.',
    totpLabel: 'Code from the app',
    backupLead: 'Enter one of the backup codes you saved. Each code works once.',
    backupLabel: 'Backup code',
    passkeyLead: 'Your device will ask for your fingerprint, face or PIN.',
    passkeySubmit: 'Use passkey',
    passkeyFailed: UNCONFIRMED_PASSKEY,
    noScript: 'Passkeys need JavaScript. Turn it on, or use another method.',
    use: { Totp: 'Use your authenticator app', WebAuthn: 'Use a passkey', BackupCode: 'Use a backup code' },
  },
  enrol: {
    title: 'Protect your account',
    lead: "Your account needs a second factor. Choose how you'll confirm it's you.",
    names: { Totp: 'Authenticator app', WebAuthn: 'Passkey', BackupCode: 'Backup codes' },
    about: {
      Totp: 'Codes from an app on your phone',
      WebAuthn: 'Your fingerprint, face, PIN or security key',
      BackupCode: 'Single-use codes to keep in a safe place',
    },
    totpTitle: 'Set up your authenticator app',
    totpScan: 'Scan the QR code with your authenticator app, or enter the key by hand.',
    totpQr: 'QR code',
    totpKey: 'Key',
    totpLabel: 'Code the app shows now',
    totpSubmit: 'Turn on',
    backupTitle: 'Save your backup codes',
    backupLead:
      "Use one of these codes to sign in if you don't have your other device. Each code works once. You won't see these codes again.",
    backupSubmit: 'I saved these codes',
    passkeyTitle: 'Add a passkey',
    passkeyLead: 'Your device will ask for your fingerprint, face or PIN, and save a passkey for this site.',
    passkeySubmit: 'Add passkey',
    other: 'Use another method',
  },
  consent: {
    title: (application: string) => `Allow ${application} to access your account?`,
    lead: (application: string, brand: string) =>
      `${application} is a third-party application and not part of ${brand}. It wants to:`,
    scopes: {
      openid: 'know who you are',
      profile: 'see your name, picture and profile details',
      email: 'see your email address',
      phone: 'see your phone number',
      address: 'see your postal address',
      offline_access: "keep this access when you're not using it",
      custom_data: 'see the data stored with your account',
      identities: 'see your linked accounts',
      roles: 'see your roles',
      'urn:logto:scope:organizations': 'see your organizations',
      'urn:logto:scope:organization_roles': 'see your roles in organizations',
    } as Record<string, string>,
    at: (scope: string, resource: string) => `use the permission ${scope} at ${resource}`,
    as: 'Signed in as',
    allow: 'Allow',
    deny: 'Deny',
  },
  home: {
    title: (brand: string) => `Welcome to ${brand}`,
    lead: 'Applications send their users here to sign in.',
    console: ['Console', 'For administrators: users, applications, impersonations'],
    account: ['Your account', 'Profile, password, second factors, sessions'],
    reference: ['API reference', 'For developers: the Management API'],
    discovery: ['OpenID Connect configuration', 'For developers: endpoints and keys'],
  },
  signOut: {
    title: (brand: string) => `Sign out of ${brand}?`,
    submit: 'Sign out',
    stay: 'Stay signed in',
    doneTitle: 'You are signed out',
    done: 'You can close this window.',
  },
  error: {
    signInTitle: 'Something is wrong with this sign-in link',
    signOutTitle: 'Something is wrong with this sign-out link',
    request: 'Go back to the application and try again; if it keeps happening, contact its support.',
    busyTitle: 'The service is busy',
    busy: "Wait a few seconds, then reload this page. You won't lose anything.",
    expiredTitle: 'This page has expired',
    expired: 'Go back to the application and start again.',
  },
  mail: {
    subject: (code: string, brand: string) => `${code} is your ${brand} code`,
    text: (code: string, brand: string, { minutes }: CodeFacts) =>
      `${code} is your ${brand} code. It is valid for ${minutes} minutes and works once.\n\nIf you didn't request this code, you can ignore this message. Don't share the code with anyone.`,
    sms: (code: string, brand: string, { minutes }: CodeFacts) =>
      `${code} is your ${brand} code. It is valid for ${minutes} minutes.`,
  },
  notice: {
    subject: (brand: string) => `Your ${brand} account was changed`,
    text: (change: string, brand: string) =>
      `${change} on your ${brand} account.\n\nIf this was you, you don't need to do anything. If it wasn't, reset your password and contact ${brand}.`,
    sms: (change: string, brand: string) => `${change} on your ${brand} account. If this wasn't you, contact ${brand}.`,
    changes: {
      Username: 'The username was changed',
      Email: 'The email address was changed',
      Phone: 'The phone number was changed',
      Password: 'The password was changed',
      AddFactor: 'A second factor was added',
      RemoveFactor: 'A second factor was removed',
      Link: 'An account at an identity provider was linked',
      Unlink: 'An account at an identity provider was unlinked',
    },
  },
  account: {
    title: 'Your account',
    profile: 'Profile',
    name: 'Name',
    save: 'Save',
    saved: 'Saved.',
    notSet: 'Not set',
    notLinked: 'Not linked',
    add: 'Add',
    remove: 'Remove',
    removeTitle: (name: string) => `Remove ${name}?`,
    signInWith: 'Sign-in methods',
    passwordSet: 'Change password',
    passwordNone: 'Set a password',
    currentPassword: 'Current password',
    wrongPassword: 'Incorrect password.',
    linked: 'Linked accounts',
    linkTitle: (provider: string) => `Link ${provider}?`,
    linkLead: (identity: string, provider: string) =>
      `Anyone who signs in to ${provider} as ${identity} will be able to sign in to this account. Continue only if that is you.`,
    linkSubmit: 'Link account',
    unlinkLead: (identity: string) => `${identity} will no longer be able to sign in to this account.`,
    factors: 'Second factors',
    factorsLead: 'A second factor protects your account even if someone knows your password.',
    addedOn: (date: string) => `added ${date}`,
    codesLeft: (count: number) => (count === 1 ? '1 code left' : `${count} codes left`),
    sessions: "Where you're signed in",
    thisBrowser: 'This browser',
    otherBrowser: 'Another browser',
    since: (date: string) => `since ${date}`,
    signOutOthers: 'Sign out everywhere else',
  },
  faults: enFaults,
  retryInSeconds: (seconds: number) =>
    `Too many attempts. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
  /** @param minutes at least 2 */
  retryInMinutes: (minutes: number) => `Too many attempts. Try again in ${minutes} minutes.`,
  otherFault: 'Something went wrong. Try again.',
};

export type Texts = typeof en;
