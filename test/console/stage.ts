import type { BrowserContext, Page } from 'playwright-core';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { press } from '../sign-in/stage.ts';
import { launchBrowser, type OwnBrowser } from '../support/browser.ts';
import type { DatabaseKind } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const PASSWORD = 'violet harbour ninety';

/** A running service, its first administrator in a real browser, and a webhook receiver. */
export class ConsoleStage implements AsyncDisposable {
  readonly service: TestService;
  readonly database: Database;
  readonly browser: OwnBrowser;
  readonly receiver: WebhookReceiver;
  /** The browser context of the administrator. */
  readonly context: BrowserContext;
  readonly page: Page;
  readonly password = PASSWORD;

  private constructor(
    parts: Pick<ConsoleStage, 'service' | 'database' | 'browser' | 'receiver'> & {
      context: BrowserContext;
      page: Page;
    },
  ) {
    this.service = parts.service;
    this.database = parts.database;
    this.browser = parts.browser;
    this.receiver = parts.receiver;
    this.context = parts.context;
    this.page = parts.page;
  }

  static async open(kind: DatabaseKind, env: Record<string, string> = {}): Promise<ConsoleStage> {
    const service = await startService(kind, env);
    const { databaseUrl, dataDir } = service;
    const database = connect({ databaseUrl, dataDir, poolSize: 2 });
    const [browser, receiver] = await Promise.all([launchBrowser(), WebhookReceiver.start()]);
    const context = await browser.newContext({ viewport: { width: 1000, height: 760 }, locale: 'en-US' });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await followLink(page, service.credentials.administratorLink, 'ada');
    await page.waitForURL(`${service.url}/console/default/**`);
    return new ConsoleStage({ service, database, browser, receiver, context, page });
  }

  /** Creates a webhook for these events. Call it after the setup, so that events of the setup are not received. */
  async listenTo(...events: string[]): Promise<void> {
    await this.service.api.must('POST /hooks', { name: 'all', events, config: { url: this.receiver.url } });
  }

  /** URL of a page of the default tenant. */
  url(path: string): string {
    return `${this.service.url}/console/default${path}`;
  }

  open(path: string) {
    return this.page.goto(this.url(path));
  }

  link(name: string | RegExp) {
    return this.page.getByRole('link', { name, exact: typeof name === 'string' });
  }

  fill(label: string | RegExp, text: string): Promise<void> {
    return this.page.getByLabel(label).fill(text);
  }

  /** Waits for the status message of the last action. */
  waitForStatus(text: string | RegExp): Promise<void> {
    return this.page.getByRole('status').getByText(text).waitFor();
  }

  /** The id at the end of the page's URL. */
  idHere(): string {
    return /\/([0-9a-z]+)$/.exec(new URL(this.page.url()).pathname)?.[1] ?? '';
  }

  /** Waits for the next webhook request with this event and returns its payload. */
  async nextEvent(event: string): Promise<Record<string, unknown>> {
    return JSON.parse((await this.receiver.next(event)).body);
  }

  /** Stored rows of the default tenant. */
  rows(table: string, where: Record<string, unknown> = {}): Promise<Record<string, unknown>[]> {
    return this.database.reader(table).where({ tenantId: 'default', ...where });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.receiver.stop();
    await this.database.close();
    await this.service[Symbol.asyncDispose]();
  }
}

/** Follows a one-time link and signs up with a new account. */
export async function followLink(page: Page, link: string, username: string): Promise<void> {
  await page.goto(link);
  await signUp(page, username);
}

/** Signs up with a new account on the page of a one-time link. */
export async function signUp(page: Page, username: string): Promise<void> {
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel(/Username/).fill(username);
  await press(page, 'Continue');
  await page.getByLabel('New password').fill(PASSWORD);
  await press(page, 'Create account');
}
