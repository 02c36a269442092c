import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { addHistory, openConsoleSession } from './showcase/history.ts';
import { type ShowcaseService, startShowcaseService } from './showcase/service.ts';

export const summary =
  'Take the screenshots in docs/images from a service of its own, with demonstration data. Needs the development dependencies.';

const FOLDER = join(import.meta.dirname, '../docs/images');
const COLOR_SCHEMES = ['light', 'dark'] as const;
const VIEWPORT = { width: 1200, height: 800 };
const SIGN_IN_VIEWPORT = { width: 640, height: 620 };
const SCALE = 1.5;
const QUALITY = 78;

interface Screenshot {
  name: string;
  path: string;
  viewport?: { width: number; height: number };
  /** Brings the page into the state that the screenshot shows. */
  prepare?(page: Page): Promise<void>;
}

/** A sign-in page, as the demonstration's application opens it. */
function signInPath({ credentials: { demo } }: ShowcaseService): string {
  const query = new URLSearchParams({
    client_id: demo?.clientId ?? '',
    redirect_uri: demo?.redirectUri ?? '',
    response_type: 'code',
    scope: 'openid profile',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  return `/oidc/auth?${query}`;
}

const screenshotsOf = (service: ShowcaseService): Screenshot[] => [
  { name: 'overview', path: '/console/default/overview?range=24h' },
  { name: 'impersonations', path: '/console/default/impersonations' },
  {
    name: 'claims',
    path: '/console/default/claims/access-token',
    async prepare(page) {
      await page.locator('[data-test]').click();
      await page.locator('#outcome pre').first().waitFor();
      await page.evaluate('scrollTo(0, 0)');
    },
  },
  {
    name: 'webhooks',
    path: '/console/default/webhooks',
    async prepare(page) {
      await page.locator('#hooks tbody a').first().click(); // The newest.
      await page.waitForLoadState();
    },
  },
  { name: 'sign-in', path: signInPath(service), viewport: SIGN_IN_VIEWPORT },
];

/** Accepts webhooks. One path responds 500 to events of roles. */
async function startReceiver(): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const isRefused = request.url === '/fails-for-roles' && (await text(request)).includes('"Role.Created"');
    response.writeHead(isRefused ? 500 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Loaded here, so that the other commands work where only the dependencies of the service are installed. */
async function launchBrowser() {
  const [{ chromium }, { browserPath }] = await Promise.all([
    import('playwright-core'),
    import('../test/support/chromium.ts'),
  ]).catch((error) => {
    throw new Error('The browser is a development dependency. Install it first: npm run check', { cause: error });
  });
  const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'];
  return chromium.launch({ executablePath: await browserPath(), args });
}

async function takeScreenshot(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await session.detach();
  await writeFile(file, Buffer.from(data, 'base64'));
  console.log(`${relative(process.cwd(), file)}  ${Math.ceil((await stat(file)).size / 1024)} KiB`);
}

async function photograph(service: ShowcaseService, cookie: string): Promise<void> {
  const { endpoint } = service;
  await mkdir(FOLDER, { recursive: true });
  const browser = await launchBrowser();
  try {
    for (const { name, path, viewport = VIEWPORT, prepare } of screenshotsOf(service)) {
      for (const colorScheme of COLOR_SCHEMES) {
        const context = await browser.newContext({
          viewport,
          colorScheme,
          deviceScaleFactor: SCALE,
          locale: 'en-US',
          timezoneId: 'UTC',
          reducedMotion: 'reduce',
        });
        await context.addCookies([{ name: 'console_session', value: cookie, url: `${endpoint}/console` }]);
        const page = await context.newPage();
        await page.goto(endpoint + path);
        await prepare?.(page);
        await page.waitForTimeout(500); // Plots are drawn and fonts are loaded.
        await takeScreenshot(page, join(FOLDER, `${name}-${colorScheme}.webp`));
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
}

export async function run(): Promise<void> {
  const receiver = await startReceiver();
  try {
    await using service = await startShowcaseService();
    Object.assign(process.env, service.env); // Where `withDatabase` finds the database.
    await addHistory(service, receiver.url);
    await photograph(service, await openConsoleSession());
  } finally {
    receiver.server.close();
  }
}
