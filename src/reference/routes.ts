import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import { contextOf } from '../http/context.ts';
import { openApiDocument } from '../http/openapi/openapi.ts';
import type { Operation } from '../http/operations/operation.ts';
import { asset, assetRoutes, faces, frameStyles, styleSheet } from '../pages/assets.ts';
import { publicText } from '../pages/compression.ts';
import { html } from '../pages/html.ts';
import { pageHeaders } from '../pages/send.ts';
import type { Tenant } from '../tenants.ts';
import { groupsOf, type OpenApi } from './document.ts';
import { eventsContent } from './events.ts';
import { resolver } from './fields.ts';
import { introduction } from './introduction.ts';
import { type ReferenceFrame, type ReferencePage, referencePage } from './layout.ts';
import { operationSection, type SectionParts } from './operation.ts';

export interface ReferenceParts {
  title: string;
  /** Path of the API below the tenant's endpoint, such as `/api`. */
  path: string;
  scope: string;
  indicatorOf(tenant: Tenant): Promise<string>;
  /** True if webhooks receive events of these operations. */
  hasEvents: boolean;
}

/** Most characters of rendered pages to keep, over all tenants. */
const MAX_RENDERED = 8 * 1024 * 1024;

const read = (file: string): string => readFileSync(join(import.meta.dirname, 'assets', file), 'utf8');
const style = styleSheet('reference', [frameStyles, read('reference.css')]);
const script = asset('reference', 'js', read('reference.js'));

const versionOf = (): string =>
  (JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }).version;

const publicly = (response: Response): Response =>
  response.set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' });

/** Serves `GET /openapi.json` and the pages below `GET /docs`. All are public: they contain no data of a tenant. */
export function referenceRoutes(operations: readonly Operation[], parts: ReferenceParts): Router {
  const { title, path, scope, hasEvents, indicatorOf } = parts;
  const text = JSON.stringify(openApiDocument(operations, versionOf(), { title, scope }));
  const document = JSON.parse(text) as OpenApi;
  const groups = groupsOf(document);
  const resolve = resolver(document.components.schemas);
  const messageOf = (code: string): string => document.components.examples[code]?.value.message ?? '';
  const frame = {
    title,
    groups,
    hasEvents,
    assets: { style: style.file, script: script.file },
    tokenPath: `${path.replaceAll(/\/\w+/g, '../')}oidc/token`,
    scope,
  };

  /** Returns undefined if there is no such page. */
  function pageOf(slug: string | undefined, sections: SectionParts): ReferencePage | undefined {
    if (slug === undefined) return { slug, title, content: introduction({ ...sections, document, groups, hasEvents }) };
    if (slug === 'events' && hasEvents) return { slug, title: 'Events', content: eventsContent(document, resolve) };
    const group = groups.find((group) => group.slug === slug);
    if (!group) return undefined;
    const content = html`${group.operations.map((operation) => operationSection(operation, sections))}`;
    return { slug, title: group.name, content };
  }

  const rendered = new LRUCache<string, ReturnType<typeof publicText>>({ maxSize: MAX_RENDERED });

  const showPage: RequestHandler<{ page?: string }> = async (request, response, next) => {
    const { tenant } = contextOf(request);
    const slug = request.params.page;
    const indicator = await indicatorOf(tenant);
    const { endpoint } = tenant;
    const key = JSON.stringify([endpoint, indicator, slug]);
    let send = rendered.get(key);
    if (!send) {
      const addresses = { api: `${endpoint}${path}`, tokenEndpoint: `${endpoint}/oidc/token`, indicator, scope };
      const page = pageOf(slug, { addresses, resolve, messageOf, base: path });
      if (!page) return next();
      const full: ReferenceFrame = { ...frame, indicator };
      const { text } = referencePage(full, page);
      send = publicText(text);
      rendered.set(key, send, { size: text.length });
    }
    const policy = `${pageHeaders['Content-Security-Policy']}; form-action 'none'`;
    send(publicly(response.set({ ...pageHeaders, 'Content-Security-Policy': policy })).type('html'));
  };

  const sendDocument = publicText(text);
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (_request, response) => sendDocument(publicly(response).type('json')));
  router.use(assetRoutes('/docs/-', [style, script, ...faces]));
  router.get('/docs', showPage);
  router.get('/docs/:page', showPage);
  return router;
}
