import { documentOf } from '../pages/document.ts';
import { type Html, html } from '../pages/html.ts';
import type { Group } from './document.ts';

export interface ReferencePage {
  /** Undefined: the introduction. */
  slug: string | undefined;
  title: string;
  content: Html;
}

/** The data that all pages of an API share. URLs are relative, because the tenant's endpoint may have a path. */
export interface ReferenceFrame {
  /** Title of the API. */
  title: string;
  groups: readonly Group[];
  hasEvents: boolean;
  assets: { style: string; script: string };
  /** The token endpoint, relative to the API. */
  tokenPath: string;
  indicator: string;
  scope: string;
}

/** Links to all operations. Those of other groups are hidden until the search finds them. */
function navigation(
  { groups, hasEvents }: ReferenceFrame,
  slug: string | undefined,
  to: (slug: string) => string,
): Html {
  const current = (here: boolean) => here && html` aria-current="page"`;
  const items = groups.map((group) => {
    const isHere = group.slug === slug;
    const links = group.operations.map(
      ({ id, method, path, summary }) =>
        html`<li><a href="${isHere ? '' : to(group.slug)}#${id}" data-words="${`${method} ${path}`.toLowerCase()}">${summary}</a></li>`,
    );
    return html`<li data-group><a href="${to(group.slug)}"${current(isHere)}>${group.name}</a><ul${!isHere && html` hidden`}>${links}</ul></li>`;
  });
  const events =
    hasEvents && html`<li data-group><a href="${to('events')}"${current(slug === 'events')}>Events</a></li>`;
  return html`<ul class="places"><li data-group><a href="${slug === undefined ? 'docs' : '../docs'}"${current(slug === undefined)}>Introduction</a></li>${items}${events}</ul>`;
}

/** A form that gets a token for this tab. It is hidden until the script has loaded. */
const authorization = (): Html =>
  html`<details class="authorize" id="authorize" hidden><summary>Authorize</summary><form class="stack">
<p class="small quiet">Gets an access token by client credentials, so that you can send requests from this page. The token stays in this tab; the secret is not stored.</p>
<div class="field"><label for="client-id">Client ID</label><input id="client-id" required autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="client-secret">Client secret</label><input id="client-secret" type="password" required autocomplete="off"></div>
<div class="buttons"><button class="button compact primary">Get token</button><button type="button" class="button compact" data-forget hidden>Forget token</button></div>
</form></details>
<p id="authorized" class="small" role="status"></p>`;

/** Renders a page of the reference. */
export function referencePage(frame: ReferenceFrame, { slug, title, content }: ReferencePage): Html {
  const below = slug === undefined ? 'docs/' : '';
  const { assets, tokenPath, indicator, scope } = frame;
  const to = (other: string): string => `${below}${other}`;
  const head = html`<link rel="stylesheet" href="${below}-/${assets.style}">
<script type="module" src="${below}-/${assets.script}"></script>`;
  const api = slug === undefined ? './' : '../';
  const body = html`<body data-api="${api}" data-token="${tokenPath}" data-indicator="${indicator}" data-scope="${scope}">
<a class="skip" href="#main">Skip to content</a>
<header class="rail">
<div class="rail-top"><p class="tenant">${frame.title}</p><button type="button" class="button compact menu-button" popovertarget="menu">Menu</button></div>
<nav id="menu" class="menu" popover aria-label="Operations">
<div class="stack"><div id="search" role="search" hidden><label class="unseen" for="filter">Find an operation</label><input id="filter" type="search" placeholder="Find an operation" autocomplete="off" spellcheck="false"><p id="found" class="small quiet" role="status"></p></div>
${navigation(frame, slug, to)}</div></nav>
</header>
<main id="main" class="main" tabindex="-1">
<div class="title"><div><h1>${title}</h1></div><div class="authorization">${authorization()}</div></div>
${content}
</main>
</body>`;
  const full = slug === undefined ? frame.title : `${title} · ${frame.title}`;
  return documentOf({ language: 'en', title: full, head, body });
}
