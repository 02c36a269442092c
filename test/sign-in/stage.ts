import type { BrowserContext, Page } from 'playwright-core';
import { Callback, launchBrowser, type OwnBrowser } from '../support/browser.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Mailbox } from './mailbox.ts';
import { type Application, authorization } from './visitor.ts';

/** A password that meets every policy of the tests. */
export const PASSWORD = 'violet harbour ninety';

const EVENTS = ['User.Created', 'PostRegister', 'PostSignIn', 'User.Data.Updated', 'PostResetPassword'];

/** A browser, a service with a brand, an application to return to, and receivers of its events and messages. */
export class SignInStage implements AsyncDisposable {
  readonly service: TestService;
  readonly browser: OwnBrowser;
  readonly mailbox: Mailbox;
  readonly receiver: WebhookReceiver;
  readonly callback: Callback;

  private constructor(parts: Pick<SignInStage, 'service' | 'browser' | 'mailbox' | 'receiver' | 'callback'>) {
    this.service = parts.service;
    this.browser = parts.browser;
    this.mailbox = parts.mailbox;
    this.receiver = parts.receiver;
    this.callback = parts.callback;
  }

  static async open(): Promise<SignInStage> {
    const mailbox = await Mailbox.start();
    const service = await startService('sqlite', { SMTP_URL: mailbox.url });
    const [browser, receiver, callback] = await Promise.all([
      launchBrowser(),
      WebhookReceiver.start(),
      Callback.start(),
    ]);
    await service.api.must('POST /hooks', { name: 'people', events: EVENTS, config: { url: receiver.url } });
    await service.api.must('PATCH /sign-in-exp', { brandName: 'Acme', color: { primaryColor: '#0f766e' } });
    return new SignInStage({ service, browser, mailbox, receiver, callback });
  }

  async application(name: string, isThirdParty = false): Promise<Application> {
    const { redirectUri } = this.callback;
    const oidcClientMetadata = { redirectUris: [redirectUri], postLogoutRedirectUris: [] };
    const fields = { name, type: 'SPA', isThirdParty, oidcClientMetadata };
    const { id } = await this.service.api.must('POST /applications', fields);
    return { clientId: id, redirectUri };
  }

  /**
   * Opens a page at the start of a sign-in, by default in a new browser context. `tokens` redeems the code it ends
   * with.
   */
  async startSignIn(parameters: Record<string, string> = {}, { context, application }: StartOptions = {}) {
    const own = context ?? (await this.browser.newContext());
    const page = await own.newPage();
    const as = application ?? (await this.application('Support console'));
    const { url, tokensAt } = await authorization(this.service, parameters, as);
    await page.goto(url.href);
    return { page, context: own, tokens: async () => tokensAt(await this.callback.next()) };
  }

  async createUser(fields: Record<string, unknown>): Promise<string> {
    const { id } = await this.service.api.must('POST /users', fields);
    await this.receiver.next('User.Created');
    return id;
  }

  /** Returns the names of the next `count` events, in alphabetical order. */
  async eventNames(count: number): Promise<(string | undefined)[]> {
    return (await this.receiver.take(count)).map(({ event }) => event).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.callback[Symbol.asyncDispose]();
    await this.receiver.stop();
    await this.service[Symbol.asyncDispose]();
    await this.mailbox[Symbol.asyncDispose]();
  }
}

interface StartOptions {
  context?: BrowserContext;
  application?: Application;
}

/**
 * Presses a button and waits until the next page has loaded its style and scripts. A click alone only waits until the
 * old page is gone.
 */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.waitForLoadState();
}

export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel(/Username/).fill(username);
  await press(page, 'Continue');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Sign in');
}
