import { describe, expect, it } from 'vitest';
import type { FaultFacts } from '../../src/sign-in/texts/facts.ts';
import { textsOf } from '../../src/sign-in/texts/index.ts';

const facts: FaultFacts = {
  identifiers: ['username', 'email', 'phone'],
  minPasswordLength: 12,
  maxPasswordLength: 256,
  provider: undefined,
  factor: undefined,
};

function faultOf(language: 'en' | 'de', code: string, some: Partial<FaultFacts> = {}): string | undefined {
  const text = textsOf(language).faults[code];
  return typeof text === 'function' ? text({ ...facts, ...some }) : text;
}

describe('texts of the sign-in pages', () => {
  it('explain the same refusals in English and German', () => {
    expect(Object.keys(textsOf('de').faults)).toEqual(Object.keys(textsOf('en').faults));
  });

  it('name the identifiers that a field accepts', () => {
    expect(faultOf('en', 'identifier.invalid')).toBe('Enter a valid username, email address or phone number.');
    expect(faultOf('en', 'identifier.invalid', { identifiers: ['email'] })).toBe('Enter a valid email address.');
    expect(faultOf('de', 'identifier.invalid', { identifiers: ['username', 'email'] })).toBe(
      'Geben Sie einen gültigen Benutzernamen oder eine gültige E-Mail-Adresse ein.',
    );
  });

  it('name the identity provider if the request involves one', () => {
    const google = { provider: 'Google' };
    expect(faultOf('en', 'session.social_failed', google)).toBe("Google couldn't confirm your identity. Try again.");
    expect(faultOf('en', 'session.social_failed')).toBe(
      "The identity provider couldn't confirm your identity. Try again.",
    );
    expect(faultOf('de', 'session.social_failed', google)).toContain('Google konnte Ihre Identität nicht bestätigen.');
  });

  it('include the numbers in force, with the right plural', () => {
    expect(faultOf('en', 'password.too_short')).toBe('Use at least 12 characters.');
    expect(textsOf('en').code.sent('kim@acme.example', { digits: 8, minutes: 5 })).toMatch(
      /an? 8-digit code.* 5 minutes/,
    );
    expect(textsOf('en').retryInSeconds(1)).toContain('in 1 second.');
    expect(textsOf('en').retryInSeconds(2)).toContain('in 2 seconds.');
    expect(textsOf('de').retryInSeconds(1)).toContain('in 1 Sekunde ');
    expect(textsOf('de').retryInMinutes(15)).toContain('in 15 Minuten ');
  });
});
