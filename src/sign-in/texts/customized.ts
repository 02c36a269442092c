import { CUSTOM_TEXTS, type CustomTextKey, type CustomTexts, fill } from '../brand/custom-texts.ts';
import type { Texts } from './en.ts';

type Section = Record<string, unknown>;

/** Returns the texts with the tenant's replacements. Texts with facts keep their parameters. */
export function customized(texts: Texts, custom: CustomTexts | undefined): Texts {
  if (!custom) return texts;
  const sections = { ...texts } as unknown as Record<string, Section>;
  for (const [key, text] of Object.entries(custom) as [CustomTextKey, string][]) {
    const [section = '', name = ''] = key.split('.');
    const names: readonly string[] = CUSTOM_TEXTS[key];
    sections[section] = { ...sections[section], [name]: names.length === 0 ? text : textWith(text, names) };
  }
  return sections as unknown as Texts;
}

/** The parameters of a text are its placeholders in order. The last one may be an object with several of them. */
const textWith =
  (text: string, names: readonly string[]) =>
  (...given: unknown[]): string => {
    const values = given.map((value, at) => (typeof value === 'object' ? value : { [names[at] as string]: value }));
    return fill(text, Object.assign({}, ...values));
  };
