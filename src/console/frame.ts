import type { Response } from 'express';
import { csrfField, type Html, html } from '../pages/html.ts';
import { DEFAULT_TENANT, type Tenant } from '../tenants.ts';
import { markPath } from './modules.ts';
import { buttonForm } from './parts/form-parts.ts';
import { placeIcon } from './parts/icons.ts';
import { copyable, note } from './parts/parts.ts';
import { places } from './places/index.ts';
import { sendDocument } from './respond.ts';
import type { ConsoleRequest, Flash, Page, Place, Section } from './route.ts';

/** Data that the frame around a page needs. */
interface FrameData {
  /** The default tenant, which serves the console. */
  home: Tenant;
  /** Tenants that the administrator manages. */
  tenants: readonly Pick<Tenant, 'id' | 'name'>[];
}

export const sectionsOf = ({ sections }: Place, tenantId: string): Section[] =>
  sections.filter(({ isOperators }) => !isOperators || tenantId === DEFAULT_TENANT);

const isWithin = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);

/** Returns the innermost section that contains the path. */
const sectionAt = (sections: Section[], path: string): Section | undefined =>
  sections.filter((section) => isWithin(path, section.path)).sort((a, b) => b.path.length - a.path.length)[0];

function rail(request: ConsoleRequest): Html {
  const items = places.map((place) => {
    const all = sectionsOf(place, request.tenant.id).filter(({ path }) => !request.missingRole(path));
    const [first, ...others] = all;
    const here = sectionAt(all, request.path);
    const isHere = isWithin(request.path, place.path);
    const sections =
      isHere &&
      others.length > 0 &&
      html`<ul>${all.map((section) => html`<li><a href="${request.to(section.path)}"${section === here && html` aria-current="page"`}>${section.name}</a></li>`)}</ul>`;
    const current = isHere && html` aria-current="${sections ? 'true' : 'page'}"`;
    return html`<li><a href="${request.to(first?.path ?? place.path)}" data-go="${place.letter}"${current}>${placeIcon(place.path)}${place.name}</a>${sections}</li>`;
  });
  return html`<ul class="places">${items}</ul>`;
}

/** The current tenant, with a menu of the administrator's other tenants. */
function switcher(request: ConsoleRequest, { home, tenants }: FrameData): Html {
  if (tenants.length < 2) return html`<p class="tenant">${request.tenant.name}</p>`;
  const links = tenants.map(
    ({ id, name }) =>
      html`<li><a href="${home.path}/console/${id}"${id === request.tenant.id && html` aria-current="true"`}>${name}<span class="quiet mono">${id}</span></a></li>`,
  );
  return html`<button type="button" class="tenant" popovertarget="tenants" aria-label="Tenant ${request.tenant.name}: switch tenant">${request.tenant.name}</button>
<div id="tenants" class="popover" popover><ul>${links}</ul></div>`;
}

const keys = (): Html =>
  html`<div id="keys" class="popover keys" popover role="dialog" aria-labelledby="keys-title" tabindex="-1" autofocus><h2 id="keys-title">Keyboard shortcuts</h2><dl>
<div><dt><kbd>Ctrl</kbd> <kbd>K</kbd></dt><dd>Find anything</dd></div>
<div><dt><kbd>/</kbd></dt><dd>Search</dd></div>
${places.map(({ name, letter }) => html`<div><dt><kbd>g</kbd> <kbd>${letter}</kbd></dt><dd>${name}</dd></div>`)}
<div><dt><kbd>?</kbd></dt><dd>Show keyboard shortcuts</dd></div>
</dl></div>`;

function flashNote(request: ConsoleRequest, { text, undo, secrets = [] }: Flash): Html {
  const secretLines = secrets.map(
    ({ label, value }) => html`<div class="secret-line"><span>${label}</span>${copyable(value)}</div>`,
  );
  const undoForm = undo && buttonForm(request, undo.path, 'Undo', { ...(undo.fields && { fields: undo.fields }) });
  const warning =
    secrets.length > 1 ? 'Copy them now. They won’t be shown again.' : 'Copy it now. It won’t be shown again.';
  const words = secrets.length > 0 ? html`${text} <strong>${warning}</strong>` : text;
  return note(
    secrets.length > 0 ? 'warn' : 'ok',
    html`<div class="row"><p>${words}</p>${undoForm}</div>${secretLines}`,
  );
}

const FIND_BUTTON = html`<button type="button" id="palette-button" class="button compact palette-button" aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K" hidden>Find <kbd>Ctrl K</kbd></button>`;

/** The command palette, which `assets/palette.js` opens. Without JavaScript it does not appear. */
const palette = (request: ConsoleRequest): Html =>
  html`<dialog id="palette" class="palette" aria-label="Command palette" data-find="${request.to('/-/find')}"><input id="palette-text" type="text" role="combobox" aria-label="Search or jump to" aria-autocomplete="list" aria-expanded="false" aria-controls="palette-list" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="128" placeholder="Users, applications, pages, IDs …"><ul id="palette-list" class="options" role="listbox" aria-label="Matches"></ul><p class="quiet palette-status" role="status"></p></dialog>`;

/** Sends a page in the console's frame: the navigation rail, the title, then the page's content. */
export function sendInFrame(
  response: Response,
  status: number,
  request: ConsoleRequest,
  page: Page,
  surroundings: FrameData,
): void {
  const { home } = surroundings;
  const { title, lead, actions, back, content, live = [], modules = [] } = page;
  const body = html`<body${live.length > 0 && html` data-live="${request.to(`/-/live?tables=${live.join(',')}`)}"`}>
<a class="skip" href="#main">Skip to content</a>
<header class="rail">
<div class="rail-top"><p class="product"><img src="${home.path}${markPath}" alt="" width="24" height="24"> Understudy</p>${switcher(request, surroundings)}${FIND_BUTTON}<button type="button" class="button compact menu-button" popovertarget="menu">Menu</button></div>
<nav id="menu" class="menu" popover aria-label="Main">${rail(request)}
<div class="rail-end">
<p><a href="${home.path}/account">${request.administrator.name}</a> <span class="quiet">${request.role}</span></p>
<form method="post" action="${home.path}/console/-/sign-out">${csrfField(request.csrf)}<button class="link">Sign out</button></form>
<button type="button" class="link" popovertarget="keys">Keyboard shortcuts</button>
</div></nav>
</header>
<main id="main" class="main" tabindex="-1">
${back && html`<p class="back"><a href="${request.to(back.path)}">${back.label}</a></p>`}
<div class="title"><div><h1>${title}</h1>${lead && html`<p class="quiet">${lead}</p>`}</div>${actions && html`<div class="actions">${actions}</div>`}</div>
${request.flash && flashNote(request, request.flash)}
${content}
</main>
${keys()}
${palette(request)}
</body>`;
  const names = [
    'console/palette',
    'console/picker',
    'console/local-time',
    ...(live.length > 0 ? ['console/live'] : []),
    ...modules,
  ];
  sendDocument(response, status, home, { title: `${title} · ${request.tenant.name}`, body, modules: names });
}
