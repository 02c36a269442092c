import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';
import type { Operation } from '../operations/operation.ts';
import { openApiDocument } from './openapi.ts';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Allows no other origin and no inline script. Swagger UI needs inline styles and `data:` for its icons. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** URLs in the page are relative, because a tenant's endpoint may have a path. */
const pageOf = (title: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <main id="reference"></main>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
});
`;

const versionOf = (): string =>
  (JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as { version: string }).version;

const publicly = (response: Response): Response =>
  response.set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' });

/** Serves `GET /openapi.json` and the page `GET /docs`. Both are public: they contain no data of a tenant. */
export function referenceRoutes(operations: readonly Operation[], about: { title: string; scope: string }): Router {
  const document = JSON.stringify(openApiDocument(operations, versionOf(), about));
  const page: RequestHandler = (_request, response) => {
    publicly(response).set('Content-Security-Policy', CONTENT_SECURITY_POLICY).type('html').send(pageOf(about.title));
  };

  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (_request, response) => {
    publicly(response).type('json').send(document);
  });
  router.get('/docs', page);
  router.get('/docs/start.js', (_request, response) => {
    publicly(response).type('js').send(START);
  });
  for (const file of FILES)
    router.get(`/docs/${file}`, (_request, response) => publicly(response).sendFile(join(ASSETS, file)));
  return router;
}
