import { html } from '../../../pages/html.ts';
import { CUSTOM_TEXT_KEYS, defaultText, languageNames } from '../../../sign-in/preview.ts';
import { LANGUAGES, type Language } from '../../../sign-in/settings.ts';
import { faultsOf } from '../../parts/faults.ts';
import { choice, field, filters, formOf } from '../../parts/form-parts.ts';
import { keepOthersChanges, openedField } from '../../parts/opened-values.ts';
import { type ConsoleRequest, form, type Page, type RefusedForm } from '../../route.ts';

const PATH = '/settings/brand/texts';

const languageOf = (wanted: string | null): Language => LANGUAGES.find((language) => language === wanted) ?? 'en';

const fieldName = (language: Language, key: string): string => `customTexts.${language}.${key}`;

/** Returns the stored texts of a language as the form submits them. */
const textsOf = (language: Language, own: Record<string, string> = {}): URLSearchParams =>
  new URLSearchParams(CUSTOM_TEXT_KEYS.map((key): [string, string] => [fieldName(language, key), own[key] ?? '']));

async function show(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const language = languageOf(refused?.values.get('language') ?? request.query.get('language'));
  const { customTexts } = (await request.perform('GET /sign-in-exp')).value;
  const stored = textsOf(language, customTexts[language]);
  const faults = faultsOf(refused);
  const fields = CUSTOM_TEXT_KEYS.map((key) => {
    const standard = defaultText(language, key);
    const name = fieldName(language, key);
    return field({
      name,
      label: key,
      hint: html`<span lang="${language}">${standard}</span>`,
      value: (refused?.values ?? stored).get(name) ?? '',
      lines: standard.length > 80 ? 4 : undefined,
      isOptional: true,
      faults,
    });
  });
  return {
    title: 'Texts',
    lead: 'Replace texts of the sign-in pages and messages. A replacement has the same placeholders in braces. An empty field keeps the standard text.',
    back: { path: '/settings/brand', label: 'Brand' },
    content: html`${filters(request.to(PATH), choice('language', 'Language', languageNames, language), false)}
${formOf(request, { path: PATH, content: html`<input type="hidden" name="language" value="${language}">${openedField([...stored.keys()], stored, refused?.values)}${fields}`, submit: 'Save texts', faults })}`,
  };
}

async function save(request: ConsoleRequest) {
  const { perform, submitted } = request;
  const language = languageOf(submitted.get('language'));
  const { customTexts } = (await perform('GET /sign-in-exp')).value;
  await keepOthersChanges(request, 'PATCH /sign-in-exp', textsOf(language, customTexts[language]));
  const given = CUSTOM_TEXT_KEYS.map((key) => [key, (submitted.get(fieldName(language, key)) ?? '').trim()]);
  const texts = Object.fromEntries(given.filter(([, text]) => text !== ''));
  await perform('PATCH /sign-in-exp', { body: { customTexts: { ...customTexts, [language]: texts } } });
  return { to: `${PATH}?language=${language}`, flash: { text: 'Texts saved.' } };
}

export const brandTextRoutes = [form(PATH, show, save, 'PATCH /sign-in-exp')];
