import { type Html, html } from '../../../pages/html.ts';
import { tabs } from '../../parts/parts.ts';
import type { Page, Visit } from '../../route.ts';

/** A kind of token, which has a script of its own. */
export interface Kind {
  /** As rows of the Management API name it. */
  tokenType: 'access-token' | 'client-credentials';
  name: string;
  lead: string;
  /** What the script's function is given, in the declaration for authors. */
  input: string;
}

export const KINDS: readonly Kind[] = [
  {
    tokenType: 'access-token',
    name: 'Access tokens',
    lead: 'A script adds claims to tokens that speak for a user, impersonations among them.',
    input: 'AccessTokenInput',
  },
  {
    tokenType: 'client-credentials',
    name: 'Client credentials',
    lead: 'A script adds claims to tokens that speak for an application.',
    input: 'ClientCredentialsInput',
  },
];

export const placeOf = ({ tokenType }: Kind): string => `/claims/${tokenType}`;

const PAGES = [
  ['', 'Script'],
  ['/versions', 'Versions'],
  ['/runs', 'Runs'],
  ['/environment', 'Environment'],
] as const;

/** The pages of one kind, above each of them. */
const tabsOf = (visit: Visit, kind: Kind, here: string): Html =>
  tabs(
    kind.name,
    PAGES.map(([path, name]) => ({ href: visit.to(placeOf(kind) + path), name, isHere: path === here })),
  );

/** One of the pages that a tab leads to. */
export const tabPage = (
  visit: Visit,
  kind: Kind,
  here: (typeof PAGES)[number][0],
  page: Omit<Page, 'title'>,
): Page => ({
  title: kind.name,
  lead: kind.lead,
  ...page,
  content: html`${tabsOf(visit, kind, here)}${page.content}`,
});
