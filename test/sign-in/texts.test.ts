import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/sign-in/settings.ts';
import type { FaultFacts } from '../../src/sign-in/texts/facts.ts';
import { chooseLanguage, textsOf } from '../../src/sign-in/texts/index.ts';

const facts: FaultFacts = {
  identifiers: ['username', 'email', 'phone'],
  minPasswordLength: 12,
  maxPasswordLength: 256,
  provider: undefined,
  factor: undefined,
};

function faultOf(language: Language, code: string, some: Partial<FaultFacts> = {}): string | undefined {
  const text = textsOf(language).faults[code];
  return typeof text === 'function' ? text({ ...facts, ...some }) : text;
}

/** Distinct values for the parameters of any text. The text is called with each, so that none is left out. */
const WORDS = ['Zebra', 'Quokka', 'Walrus'];
const FACTS = { digits: 7, minutes: 23 };

/** Returns the values that appear in a text which is called with names. Texts take names, numbers or lists. */
function parametersIn(text: (...given: never[]) => string): string[] {
  const call = (...given: unknown[]): string => {
    try {
      return String((text as (...given: unknown[]) => string)(...given));
    } catch {
      return ''; // The text takes values of another kind.
    }
  };
  const words = call(...WORDS.slice(0, text.length - 1), FACTS);
  const results = [call(...WORDS), words, call(47), call(FACTS), call(WORDS)].join('\n');
  const looked = [...WORDS, '47', '7', '23'];
  return looked.filter((value) => new RegExp(`(?<!\\d)${value}(?!\\d)`, 'i').test(results));
}

/** Every text by its path, with the parameters and placeholders in it. */
function shapeOf(value: unknown, path = ''): string[] {
  if (typeof value === 'function') return [`${path}: ${parametersIn(value as () => string)}`];
  if (typeof value === 'string') return [`${path}: ${value.match(/\{\w+\}/g) ?? ''}`];
  return Object.entries(value as object).flatMap(([name, each]) => shapeOf(each, `${path}/${name}`));
}

function emptyIn(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.values(value as object).some(emptyIn);
}

describe('texts of the sign-in pages', () => {
  it.each(LANGUAGES)('exist with the same placeholders in %s', (language) => {
    const { faults: _faults, ...texts } = textsOf(language);
    const { faults: _english, ...english } = textsOf('en');
    expect(shapeOf(texts)).toEqual(shapeOf(english));
    expect(emptyIn(texts)).toBe(false);
  });

  it.each(LANGUAGES)('explain the same refusals in %s', (language) => {
    const codes = Object.keys(textsOf('en').faults);
    expect(Object.keys(textsOf(language).faults)).toEqual(codes);
    for (const code of codes) {
      for (const provider of [undefined, 'Quokka']) {
        const some = { provider, minPasswordLength: 77, maxPasswordLength: 299 };
        const shown = (of: Language) => /Quokka|77|299/.exec(faultOf(of, code, some) ?? '')?.[0];
        expect(faultOf(language, code, some), code).toMatch(/\S/);
        expect(shown(language), code).toBe(shown('en'));
      }
    }
  });

  it.each(LANGUAGES.filter((language) => language !== 'en'))('are translated in %s', (language) => {
    const { title, forgot } = textsOf(language).password;
    expect([title, forgot]).not.toEqual([textsOf('en').password.title, textsOf('en').password.forgot]);
    expect(new Set(LANGUAGES.map((each) => textsOf(each).name)).size).toBe(LANGUAGES.length);
  });

  it('name the identifiers that a field accepts', () => {
    expect(faultOf('en', 'identifier.invalid')).toBe('Enter a valid username, email address or phone number.');
    expect(faultOf('en', 'identifier.invalid', { identifiers: ['email'] })).toBe('Enter a valid email address.');
    expect(faultOf('de', 'identifier.invalid', { identifiers: ['username', 'email'] })).toBe(
      'Geben Sie einen gültigen Benutzernamen oder eine gültige E-Mail-Adresse ein.',
    );
    expect(faultOf('ja', 'identifier.invalid')).toBe(
      '有効なユーザー名、メールアドレスまたは電話番号を入力してください。',
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
    expect([1, 3, 5, 22].map((count) => textsOf('pl').account.codesLeft(count))).toEqual([
      'pozostało: 1 kod',
      'pozostało: 3 kody',
      'pozostało: 5 kodów',
      'pozostało: 22 kody',
    ]);
  });
});

describe('the language', () => {
  const settings = { autoDetect: true, fallbackLanguage: 'it' } as const;

  it('is the choice of the user, then ui_locales, then that of the browser, then the default', () => {
    const all = { chosen: 'ja', uiLocales: 'xx pt-BR fr', acceptLanguage: 'da, nl-BE;q=0.8, pl;q=0.9' };
    expect(chooseLanguage(all, settings)).toBe('ja');
    expect(chooseLanguage({ ...all, chosen: 'tlh' }, settings)).toBe('pt');
    expect(chooseLanguage({ acceptLanguage: all.acceptLanguage }, settings)).toBe('pl');
    expect(chooseLanguage({ acceptLanguage: 'da' }, settings)).toBe('it');
    expect(chooseLanguage({ acceptLanguage: 'zh-Hans-CN' }, settings)).toBe('zh');
    expect(chooseLanguage({ acceptLanguage: 'pl' }, { ...settings, autoDetect: false })).toBe('it');
  });
});
