import type { SignInSettings } from '../settings.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import type { CodeFacts, FaultFacts } from './facts.ts';

export type { CodeFacts, FaultFacts, Texts };

const all = { en, de } as const;
type Language = keyof typeof all;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(all, tag);

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

/**
 * Returns the first supported language in order of preference: `ui_locales` of the application, then those of the
 * browser, then the tenant's default.
 */
export function chooseLanguage(
  uiLocales: string | undefined,
  acceptLanguage: string | undefined,
  { autoDetect, fallbackLanguage }: SignInSettings['languageInfo'],
): Language {
  const wanted = [...(uiLocales?.split(' ') ?? []), ...(autoDetect ? accepted(acceptLanguage ?? '') : [])];
  const primary = wanted.map((tag) => tag.toLowerCase().split('-')[0] as string);
  return primary.find(isLanguage) ?? fallbackLanguage;
}

export const textsOf = (language: Language): Texts => all[language];
