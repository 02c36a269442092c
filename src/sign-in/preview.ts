import { createHash } from 'node:crypto';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { Html } from '../pages/html.ts';
import { compileCss } from './brand/custom-css.ts';
import { CUSTOM_TEXT_KEYS, CUSTOM_TEXTS, type CustomTextKey } from './brand/custom-texts.ts';
import { type ImageName, imageTypeOf } from './brand/images.ts';
import { type View, viewOf } from './pages/layout.ts';
import { identifierPage } from './pages/sign-in.ts';
import type { Language, SignInSettings } from './settings.ts';
import { languageNames, textsOf } from './texts/index.ts';

export { CUSTOM_TEXT_KEYS, type CustomTextKey, languageNames };

export type Scheme = 'light' | 'dark';

interface Preview {
  settings: SignInSettings;
  /** Path of the endpoint that serves the preview, also when it is not the tenant's. */
  path: string;
  store: TenantStore;
  scheme: Scheme;
}

/**
 * Renders the first page of a sign-in with these settings, saved or not. Everything of the tenant is in the page itself,
 * because the tenant may have another host.
 *
 * @returns the page, and the hash of its style for the Content-Security-Policy
 * @throws 400 `guard.invalid_input` for custom CSS that is not allowed
 */
export async function previewOf({
  settings,
  path,
  store,
  scheme,
}: Preview): Promise<{ page: Html; styleHash: string }> {
  const images = await store.from('signInImages').select('name', 'file', 'content');
  const urlOf = (name: ImageName): string | undefined => {
    const image = images.find((each) => each.name === name);
    return image && `data:${imageTypeOf(image.file)};base64,${image.content}`;
  };
  const { customCss, languageInfo, signIn, signInMode } = settings;
  const view = viewOf(
    { path },
    { ...settings, customCss: null, images: {} },
    { chosen: languageInfo.fallbackLanguage },
  );
  const inlineCss = cssFor(scheme, customCss ?? '');
  const [logo, darkLogo] = [urlOf('logo'), urlOf('darkLogo')];
  const branded: View = {
    ...view,
    inlineCss,
    hasCustomCss: Boolean(customCss),
    logo: scheme === 'dark' ? (darkLogo ?? logo) : (logo ?? darkLogo),
  };
  const methods = signIn.methods.filter(({ password, verificationCode }) => password || verificationCode);
  const page = identifierPage({
    ...branded,
    action: '',
    csrf: '',
    fault: undefined,
    allowed: methods.map(({ identifier }) => identifier),
    value: undefined,
    applicationName: undefined,
    social: [],
    canRegister: signInMode === 'SignInAndRegister',
    isPasswordChanged: false,
  });
  return { page, styleHash: `'sha256-${createHash('sha256').update(inlineCss).digest('base64')}'` };
}

/** Returns the custom CSS for one color scheme, which need not be that of the browser. */
function cssFor(scheme: Scheme, customCss: string): string {
  const css = compileCss(customCss).replaceAll(/\(prefers-color-scheme: ?(light|dark)\)/g, (_, wanted) =>
    wanted === scheme ? '(min-width: 0px)' : '(max-width: 0px)',
  );
  return `:root{color-scheme:${scheme}}${css}`;
}

/** Returns the text that a replacement would replace, with its placeholders. */
export function defaultText(language: Language, key: CustomTextKey): string {
  const [section = '', name = ''] = key.split('.');
  const text = (textsOf(language) as unknown as Record<string, Record<string, unknown>>)[section]?.[name];
  if (typeof text !== 'function') return String(text);
  const names: readonly string[] = CUSTOM_TEXTS[key];
  const values = names.filter((name) => name !== 'minutes').map((name) => `{${name}}`);
  return String(text(...values, { minutes: '{minutes}' }));
}
