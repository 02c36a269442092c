import { documentOf } from '../../pages/document.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Language, Texts } from '../texts/index.ts';
import { assetPaths } from './assets.ts';

/** The facts of every page. */
export interface View {
  t: Texts;
  language: Language;
  /** Path of the tenant's endpoint: `''` or `/acme`. */
  base: string;
  brandName: string;
  /** `#` and six hexadecimal digits. */
  brandColor: string;
}

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
