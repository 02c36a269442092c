import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { signIn } from '../sign-in/stage.ts';
import { launchBrowser, type OwnBrowser } from '../support/browser.ts';
import { childEnvironment } from '../support/compile-cache.ts';
import { databases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { followLink } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
const PASSWORD = 'violet harbour ninety';

/** Runs the command like an operator, next to the running service. */
async function createAdministrator({ url, dataDir, databaseUrl }: TestService, ...args: string[]): Promise<string> {
  const env = {
    ...childEnvironment,
    ENDPOINT: url,
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/cli.ts', 'create-administrator', ...args], {
    cwd: ROOT,
    env,
  });
  return stdout;
}

describe.each(databases)('create-administrator on %s', (kind) => {
  let service: TestService;
  let browser: OwnBrowser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(kind), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  it('prints a link that makes an existing user an administrator', async () => {
    await service.api.must('POST /users', { username: 'olga', password: PASSWORD });
    const link = /http\S+/.exec(await createAdministrator(service))?.[0] as string;
    const page = await browser.newPage();
    await page.goto(link);
    await page.getByRole('link', { name: 'Use an existing account' }).click();
    await signIn(page, 'olga', PASSWORD);
    await page.waitForURL(`${service.url}/console/default/**`);
    await page.close();
  });

  it('prints a link for a role, which lowers no higher one', async () => {
    await service.api.must('POST /users', { username: 'sue', password: PASSWORD });
    for (const [role, expected] of [
      ['support', 'support'],
      ['viewer', 'support'],
      ['editor', 'editor'],
    ] as const) {
      const page = await browser.newPage();
      await page.goto(/http\S+/.exec(await createAdministrator(service, '--role', role))?.[0] as string);
      await page.getByText(`This link gives you the role ${role}`).waitFor();
      await page.getByRole('link', { name: 'Use an existing account' }).click();
      await signIn(page, 'sue', PASSWORD);
      await page.waitForURL(`${service.url}/console/default/**`);
      await page.getByText(expected, { exact: true }).waitFor();
      await page.close();
    }
  });

  it('adds and removes a user by name, and reports unknown users and tenants', async () => {
    await service.api.must('POST /users', { username: 'pia', password: PASSWORD });
    expect(await createAdministrator(service, '--user', 'pia', '--role', 'viewer')).toContain(
      'the role viewer in default',
    );
    const page = await browser.newPage();
    await page.goto(`${service.url}/console`);
    await signIn(page, 'pia', PASSWORD);
    await page.waitForURL(`${service.url}/console/default/**`);
    expect(await createAdministrator(service, '--user', 'pia', '--remove')).toContain('no longer manages default');
    expect((await page.reload())?.status()).toBe(404);
    await page.close();
    await expect(createAdministrator(service, '--user', 'olga', '--remove')).rejects.toThrow(
      new ServiceError('administrator.is_last').message,
    );
    await expect(createAdministrator(service, '--role', 'king')).rejects.toThrow('--role must be one of');
    await expect(createAdministrator(service, '--user', 'nobody')).rejects.toThrow('no user nobody');
    await expect(createAdministrator(service, '--tenant', 'nowhere')).rejects.toThrow('no tenant nowhere');
  });
});

it('serves the console with styles and scripts below the path of an endpoint', async () => {
  const port = await freePort();
  const endpoint = `http://localhost:${port}/auth`;
  await using service = await startService('sqlite', { PORT: String(port), ENDPOINT: endpoint });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const failed: string[] = [];
    page.on('response', (response) => response.status() >= 400 && failed.push(response.url()));
    page.on('console', (message) => message.type() === 'error' && failed.push(message.text()));
    await followLink(page, service.credentials.administratorLink, 'ada');
    await page.waitForURL(`${endpoint}/console/default/**`);
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.waitForURL(`${endpoint}/console/default/directory/users`);
    await page.getByRole('link', { name: 'New user' }).click();
    await page.getByLabel(/^Username/).fill('quinn');
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByText('User created.').waitFor();
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'console_session');
    expect(cookie?.path).toBe('/auth/console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect(failed).toEqual([]);
  } finally {
    await browser.close();
  }
});
