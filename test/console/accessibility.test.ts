import { expect, it } from 'vitest';
import { routes } from '../../src/console/places/index.ts';
import { expectAccessible } from '../support/browser.ts';
import { buildWorld } from '../support/world.ts';
import { ConsoleStage } from './stage.ts';

const patterns = routes
  .filter(({ isPage }) => isPage)
  .map(({ path }) => ({ path, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) }));

/** The path of the route that serves a page. */
const routeOf = (path: string) => patterns.find(({ pattern }) => pattern.test(path))?.path;

/** Pages of items that the first page of another route does not link to. Their own tests look at most of them. */
const NOT_LINKED = [
  '/claims/access-token/off',
  '/claims/access-token/versions/:version',
  '/claims/access-token/runs/:runId',
  '/claims/access-token/environment/:name/remove',
  '/claims/client-credentials/environment/:name/remove',
  '/webhooks/:id/replays/:replayId',
  '/directory/users/:userId/factors/:verificationId/delete',
  '/directory/users/:userId/identities/:target/unlink',
  '/directory/users/:userId/sessions/:sessionId/end',
  '/directory/users/:userId/grants/:grantId/end',
  '/directory/roles/:id/applications/add',
  '/directory/applications/:id/roles/add',
  '/directory/applications/:id/secrets/new',
  '/directory/applications/:id/secrets/:name/delete',
];

/** Follows links from the overview to one page of every route, in a tenant that has one of everything. */
it('every page of the console is accessible, on a phone and in the dark', async () => {
  await using stage = await ConsoleStage.open('sqlite', { DEMO: 'false' });
  const { page, service, database, receiver } = stage;
  const { user } = await buildWorld(service.api, database, receiver.url);
  const [administrator] = await stage.rows('administrators');
  const { pathname: start } = new URL(stage.url(''));
  // Short lists do not link to their own pages, and the only owner is not offered to be removed.
  const waiting = [
    '/overview',
    ...['organizations', 'scopes', 'sessions', 'grants'].map((list) => `/directory/users/${user}/${list}`),
    ...['role', 'remove'].map((form) => `/settings/administrators/${administrator?.userId}/${form}`),
  ];
  const seen = new Set(waiting.map(routeOf));
  for (const path of waiting) {
    await stage.open(path);
    await page.setViewportSize({ width: 390, height: 760 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await expectAccessible(page, path);
    await page.setViewportSize({ width: 1000, height: 760 });
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await expectAccessible(page, path);
    const links = await page.evaluate<string[]>('Array.from(document.links, ({ href }) => href)');
    for (const { pathname, search } of links.map((link) => new URL(link))) {
      const next = pathname.startsWith(`${start}/`) ? pathname.slice(start.length) : '';
      const route = routeOf(next);
      if (!route || seen.has(route)) continue;
      seen.add(route);
      waiting.push(next + search);
    }
  }
  const missed = patterns.map(({ path }) => path).filter((path) => !seen.has(path));
  expect(missed.filter((path) => !NOT_LINKED.includes(path))).toEqual([]);
});
