import { documentOf } from '../../pages/document.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Tenant } from '../../tenants.ts';
import { readSettings, type SignInSettings } from '../settings.ts';
import { chooseLanguage, textsOf } from '../texts/index.ts';
import { assetPaths } from './assets.ts';

/** The facts of every page. */
export type View = ReturnType<typeof viewOf>;

interface LanguagePreferences {
  uiLocales?: string | undefined;
  acceptLanguage?: string | undefined;
}

export function viewOf(tenant: Tenant, settings: SignInSettings, { uiLocales, acceptLanguage }: LanguagePreferences) {
  const language = chooseLanguage(uiLocales, acceptLanguage, settings.languageInfo);
  return {
    t: textsOf(language),
    language,
    /** Path of the tenant's endpoint: `''` or `/acme`. */
    base: tenant.path,
    brandName: settings.brandName,
    /** `#` and six hexadecimal digits. */
    brandColor: settings.color.primaryColor,
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

/** Renders a page: the brand, one heading and the content. */
export function layout(view: View, title: string, content: Html, { isWide = false, lead }: LayoutOptions = {}): Html {
  const { base, language, brandName } = view;
  const head = html`<link rel="stylesheet" href="${base}${assetPaths.style}">
<link rel="stylesheet" href="${base}${assetPaths.brand(view.brandColor)}">
<script type="module" src="${base}${assetPaths.script}"></script>`;
  const body = html`<body>
<div class="page">
<main class="${isWide ? 'column wide' : 'column'}">
<p class="brand">${brandName}</p>
<div class="card">
<div class="heading"><h1>${title}</h1>${lead && html`<p>${lead}</p>`}</div>
${content}
</div>
</main>
</div>
</body>`;
  return documentOf({ language, title, head, body });
}

interface LayoutOptions {
  isWide?: boolean;
  lead?: string | Html | undefined;
}
