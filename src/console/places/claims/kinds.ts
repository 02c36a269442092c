import { type Html, html } from '../../../pages/html.ts';
import { tabs } from '../../parts/parts.ts';
import type { ConsoleRequest, Page } from '../../route.ts';

/** A kind of token. Each has its own claims script. */
export interface TokenKind {
  /** Its name in paths of the Management API. */
  tokenType: 'access-token' | 'client-credentials';
  name: string;
  lead: string;
  /** Interface of the function's parameter in the type declaration for script authors. */
  input: string;
}

export const KINDS: readonly TokenKind[] = [
  {
    tokenType: 'access-token',
    name: 'Access tokens',
    lead: 'This script adds claims to access tokens of users, including impersonations.',
    input: 'AccessTokenInput',
  },
  {
    tokenType: 'client-credentials',
    name: 'Client credentials',
    lead: 'This script adds claims to access tokens of machine-to-machine applications.',
    input: 'ClientCredentialsInput',
  },
];

export const kindPath = ({ tokenType }: TokenKind): string => `/claims/${tokenType}`;

const PAGES = [
  ['', 'Script'],
  ['/versions', 'Versions'],
  ['/runs', 'Runs'],
  ['/environment', 'Environment'],
] as const;

/** Tabs with the pages of one kind. */
const tabsOf = (request: ConsoleRequest, kind: TokenKind, here: string): Html =>
  tabs(
    kind.name,
    PAGES.map(([path, name]) => ({ href: request.to(kindPath(kind) + path), name, isHere: path === here })),
  );

/** Returns a page with the tabs of its kind above the content. */
export const tabPage = (
  request: ConsoleRequest,
  kind: TokenKind,
  here: (typeof PAGES)[number][0],
  page: Omit<Page, 'title'>,
): Page => ({
  title: kind.name,
  lead: kind.lead,
  ...page,
  content: html`${tabsOf(request, kind, here)}${page.content}`,
});
