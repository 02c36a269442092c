import { LANGUAGES, type Language, type SignInSettings } from '../settings.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import type { CodeFacts, FaultFacts } from './facts.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { zh } from './zh.ts';

export type { CodeFacts, FaultFacts, Texts };

const all: Readonly<Record<Language, Texts>> = { en, de, fr, es, pt, it, nl, pl, ja, zh };

/** The languages by their own names, for the language switch. */
export const languageNames = LANGUAGES.map((language) => [language, all[language].name] as const);

export const isLanguage = (tag: string | undefined): tag is Language => LANGUAGES.some((language) => language === tag);

/** Parses `Accept-Language` (RFC 9110 §12.5.4), best match first. */
function accepted(header: string): string[] {
  return header
    .slice(0, 512)
    .split(',')
    .map((item) => {
      const [tag = '', quality = ''] = item.trim().split(/(?<!\s)\s*;\s*q=/i);
      return { tag, quality: quality === '' ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

/** The languages that a request asks for. */
export interface LanguagePreferences {
  /** The user's choice on an earlier page. */
  chosen?: string | undefined;
  /** `ui_locales` of the application, at most 512 characters of it. */
  uiLocales?: string | undefined;
  acceptLanguage?: string | undefined;
}

/**
 * Returns the first supported language in order of preference: the user's choice on the page, `ui_locales` of the
 * application, the languages of the browser, and the tenant's default.
 */
export function chooseLanguage(
  { chosen, uiLocales, acceptLanguage }: LanguagePreferences,
  { autoDetect, fallbackLanguage }: SignInSettings['languageInfo'],
): Language {
  if (isLanguage(chosen)) return chosen;
  const wanted = [
    ...(uiLocales?.slice(0, 512).split(' ') ?? []),
    ...(autoDetect ? accepted(acceptLanguage ?? '') : []),
  ];
  const primary = wanted.map((tag) => tag.toLowerCase().split('-')[0]);
  return primary.find(isLanguage) ?? fallbackLanguage;
}

export const textsOf = (language: Language): Texts => all[language];
