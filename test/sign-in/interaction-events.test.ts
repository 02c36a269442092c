import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { identifiedBy, steps, writes } from '../../src/sign-in/interaction/events.ts';

/** The tables of docs/security.md by the first cell of each row. */
function documented(heading: string): Record<string, string[]> {
  const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const section = text.split(/^#+ /m).find((part) => part.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
  return Object.fromEntries(
    rows.slice(1).map((line) => {
      const [name = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [name, cells];
    }),
  );
}

const EVENTS = ['SignIn', 'Register', 'ForgotPassword'] as const;

describe('the steps of each interaction event', () => {
  const table = documented('What each interaction event may read and write');

  it('are documented as the code allows them', () => {
    const names: Record<keyof typeof steps, string> = {
      password: 'Prove the account by its password',
      code: 'Prove an address or number by a code',
      social: 'Prove an identity at an identity provider',
      newAccount: 'Choose the username and password of a new account',
      secondFactor: 'Prove a held second factor',
      newFactor: 'Set up another factor',
      profile: 'Add a username, email address or phone number',
      newPassword: 'Choose a new password',
    };
    for (const [step, name] of Object.entries(names)) {
      const { SignIn, Register, ForgotPassword, Account } = steps[step as keyof typeof steps];
      expect(table[name], name).toEqual([SignIn, Register, ForgotPassword, Account]);
    }
  });

  it('are documented with the proofs they accept and the data they write', () => {
    const words = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ');
    expect(table['The account is named by']?.slice(0, 3)).toEqual(EVENTS.map((event) => words(identifiedBy[event])));
    expect(table['Completion writes']?.slice(0, 3)).toEqual(EVENTS.map((event) => words(writes[event])));
  });

  it('let a reset write only the password, after a code', () => {
    expect(writes.ForgotPassword).toEqual(['passwordHash']);
    expect(identifiedBy.ForgotPassword).toEqual(['EmailVerificationCode', 'PhoneVerificationCode']);
  });

  it('never let a sign-in set a password', () => {
    expect(writes.SignIn).not.toContain('passwordHash');
    expect(steps.newPassword.SignIn).toBe('never');
  });
});
