import { documentOf } from '../../pages/document.ts';
import { type Html, html, trusted } from '../../pages/html.ts';
import type { Tenant } from '../../tenants.ts';
import { readSettings, type TenantSettings } from '../settings.ts';
import { customized } from '../texts/customized.ts';
import { chooseLanguage, type LanguagePreferences, textsOf } from '../texts/index.ts';
import { assetPaths } from './assets.ts';
import { languageSwitch } from './language.ts';

/** The facts of every page. */
export interface View extends ReturnType<typeof viewOf> {
  /** Path of the page, for the language switch. Pages without one have no switch. */
  action?: string;
  /** The style of a preview, which loads no script. */
  inlineCss?: string;
}

/** @param base path of the tenant's endpoint: `''` or `/acme` */
export function viewOf(
  { path: base }: Pick<Tenant, 'path'>,
  settings: TenantSettings,
  preferences: LanguagePreferences,
) {
  const language = chooseLanguage(preferences, settings.languageInfo);
  const { images, customCss, color } = settings;
  const image = (file: string | undefined) => (file === undefined ? undefined : base + assetPaths.own(file));
  return {
    t: customized(textsOf(language), settings.customTexts[language]),
    language,
    base,
    brandName: settings.brandName,
    logo: image(images.logo),
    darkLogo: image(images.darkLogo),
    icon: image(images.favicon) ?? base + assetPaths.mark,
    styles: [base + assetPaths.style, base + assetPaths.brand(color.primaryColor, color.darkPrimaryColor)],
    customStyle: customCss ? base + assetPaths.custom(customCss) : undefined,
    hasCustomCss: Boolean(customCss),
    terms: settings.termsOfUseUrl,
    privacy: settings.privacyPolicyUrl,
  };
}

export const readView = async (tenant: Tenant, preferences: LanguagePreferences): Promise<View> =>
  viewOf(tenant, await readSettings(tenant.store, tenant.name), preferences);

/** The facts of a page with a form. */
export interface FormView extends View {
  /** Path of the interaction. Forms post below it. */
  action: string;
  csrf: string;
  /** The reason of the refusal, as text for the user. */
  fault: string | undefined;
}

interface LayoutOptions {
  isWide?: boolean;
  lead?: string | Html | undefined;
  /** True for a page on which the user gives access to someone else. It has the tenant's colors but not its CSS. */
  isPlain?: boolean;
}

/** The logo, or else the name. A logo for dark mode replaces it there. */
function brandOf({ brandName, logo, darkLogo }: View): Html | string {
  const light = logo ?? darkLogo;
  if (light === undefined) return brandName;
  const dark = darkLogo && html`<source srcset="${darkLogo}" media="(prefers-color-scheme: dark)">`;
  return html`<picture>${dark}<img src="${light}" alt="${brandName}"></picture>`;
}

function footer({ t, terms, privacy, action, language, base }: View): Html {
  const link = (url: string | null, label: string) =>
    url !== null && html`<li><a href="${url}" target="_blank" rel="noopener noreferrer">${label}</a></li>`;
  const links = [link(terms, t.legal.terms), link(privacy, t.legal.privacy)];
  return html`<footer class="footer">
${links.some(Boolean) && html`<ul class="legal">${links}</ul>`}
${action !== undefined && languageSwitch(action, language, t.common.language)}
<p class="made"><img src="${base}${assetPaths.mark}" alt="" width="16" height="16"> Understudy</p>
</footer>`;
}

/** Renders a page: the brand, one heading and the content, with the legal links and the language switch below. */
export function layout(
  view: View,
  title: string,
  content: Html,
  { isWide = false, isPlain = false, lead }: LayoutOptions = {},
): Html {
  const { base, icon, t, hasCustomCss, customStyle, inlineCss } = view;
  const isCustom = hasCustomCss && !isPlain;
  const styles = [...view.styles, ...(isCustom && customStyle ? [customStyle] : [])];
  const head = html`${styles.map(
    (path) => html`<link rel="stylesheet" href="${path}">
`,
  )}${inlineCss === undefined ? html`<script type="module" src="${base}${assetPaths.script}"></script>` : html`<style>${trusted(inlineCss)}</style>`}`;
  const body = html`<body>
<div class="${isCustom ? 'page custom' : 'page'}">
<main class="${isWide ? 'column wide' : 'column'}">
<p class="brand">${brandOf(view)}</p>
<div class="card">
<div class="heading"><h1>${title}</h1>${lead && html`<p>${lead}</p>`}</div>
${content}
</div>
</main>
${footer(view)}
</div>
</body>`;
  return documentOf({ language: t.language, title, icon, head, body });
}
