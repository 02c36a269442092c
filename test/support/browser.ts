import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserPath } from './chromium.ts';

const SCREENSHOTS = join(import.meta.dirname, '../screenshots');

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A browser for one test, with contexts of its own. */
export type OwnBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>;

/** One for the worker, because starting a browser takes more CPU time than most of the tests that use it. */
let running: Promise<Browser> | undefined;

/**
 * Returns the worker's browser, a real one from npm or that of `CHROMIUM_PATH`, which starts at the first use. `close`
 * closes the caller's contexts. The browser ends with the worker.
 */
export async function launchBrowser(): Promise<OwnBrowser> {
  running ??= start();
  const browser = await running;
  const contexts: BrowserContext[] = [];
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    contexts.push(context);
    return context;
  };
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    close: async () => void (await Promise.all(contexts.map((context) => context.close()))),
  };
}

async function start(): Promise<Browser> {
  const executablePath = await browserPath();
  const { chromium } = await import('playwright-core'); // Here, because most importers of this file need no browser.
  const args = [
    '--no-sandbox',
    '--no-zygote',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--font-render-hinting=none',
  ];
  const browser = await chromium.launch({ executablePath, args });
  browser.once('disconnected', () => {
    running = undefined; // A browser that crashed fails the tests that use it, not those after them.
  });
  return browser;
}

interface AxeResults {
  violations: { id: string; impact: string | null; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Rules of axe-core whose issues count although it calls them minor or moderate. */
const ALSO = ['empty-table-header', 'heading-order'];

/**
 * Expects no serious or critical issue from axe-core, which is evaluated instead of added as a script, so that the
 * page's content security policy stays in force.
 */
export async function expectAccessible(page: Page, name = page.url()): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const run = 'axe.run({ resultTypes: ["violations"], selectors: false })'; // Describes only what fails.
  const { violations } = await page.evaluate<AxeResults>(run);
  const serious = violations.filter(
    ({ id, impact }) => impact === 'serious' || impact === 'critical' || ALSO.includes(id),
  );
  const lines = serious.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
  );
  expect(lines, name).toEqual([]);
}

const DESKTOP = { width: 1000, height: 760 };
const PHONE = { width: 390, height: 760 };

/**
 * Takes screenshots of the page in light, dark and phone mode, and expects no serious issue and no horizontal scrolling
 * in each.
 */
export async function look(page: Page, name: string): Promise<void> {
  await page.waitForLoadState();
  for (const [variant, colorScheme, viewport] of [
    ['light', 'light', DESKTOP],
    ['dark', 'dark', DESKTOP],
    ['phone', 'light', PHONE],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} scrolls sideways`).toBe(
      true,
    );
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${variant}.png`), fullPage: true });
  }
}

/** A real server for an application's callback, so that the browser's last redirect arrives. */
export class Callback {
  readonly redirectUri: string;
  readonly #server: Server;
  readonly #arrived: URL[] = [];
  readonly #waiting: ((url: URL) => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    server.on('request', ({ url = '' }, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Arrived</title>');
      if (!url.startsWith('/callback')) return;
      const arrived = new URL(url, this.redirectUri);
      const tell = this.#waiting.shift();
      if (tell) tell(arrived);
      else this.#arrived.push(arrived);
    });
  }

  static async start(): Promise<Callback> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Callback(server);
  }

  /** Returns the next request that was not returned before. */
  next(): Promise<URL> {
    const arrived = this.#arrived.shift();
    return arrived ? Promise.resolve(arrived) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
