import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languages } from '../../src/console/places/directory/quick-starts/index.ts';
import { signIn as signInOn } from '../sign-in/stage.ts';
import { Visitor } from '../sign-in/visitor.ts';
import { look } from '../support/browser.ts';
import { castOf } from '../support/cast.ts';
import { freePort } from '../support/free-port.ts';
import { ConsoleStage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The modules that a bundler would resolve. */
const IMPORTS = {
  'openid-client': '/node_modules/openid-client/build/index.js',
  oauth4webapi: '/node_modules/oauth4webapi/build/index.js',
  'jose/jwe/compact/decrypt': '/node_modules/jose/dist/webapi/jwe/compact/decrypt.js',
  'jose/errors': '/node_modules/jose/dist/webapi/util/errors.js',
};

interface Application {
  id: string;
  /** Its client secret, if it has one. */
  secret: string | undefined;
}

/** In a terminal Ctrl-U deletes what was typed, Ctrl-O runs a command, and an escape sequence ends a paste. */
it('the quick starts contain no keys, whatever an administrator chose', () => {
  const keys = 'https://a.example/\x15date\x0f\x1b[201~\x7f\u009b';
  const start = {
    issuer: 'https://id.example.com/oidc',
    clientId: 'c',
    redirectUri: keys,
    resource: keys,
    scope: keys,
  };
  const snippets = languages.flatMap(({ snippets }) => Object.values(snippets).map((of) => of(start)));
  const code = snippets.flatMap(({ blocks }) => blocks.map(({ code }) => code)).join('\n');
  expect(code).toContain('u0015date');
  expect(code).not.toMatch(/[^\P{Cc}\n\t]/u);
});

/** The code does not depend on the database. */
describe('the quick starts of an application', () => {
  let stage: ConsoleStage;
  let folder: string;
  beforeAll(async () => {
    stage = await ConsoleStage.open('sqlite');
    folder = await mkdtemp(join(tmpdir(), 'quick-start-'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await stage[Symbol.asyncDispose]();
  });

  async function create(type: string, redirectUris: string[] = []): Promise<Application> {
    const { api } = stage.service;
    const oidcClientMetadata = { redirectUris, postLogoutRedirectUris: [] };
    const { id } = await api.must('POST /applications', { name: `A ${type}`, type, oidcClientMetadata });
    const [secret] = /SPA|Native/.test(type) ? [] : await api.must(`GET /applications/${id}/secrets`);
    return { id, secret: secret?.value };
  }

  /** Returns the code on the page of the application, one text for each block with a copy button. */
  async function codeOf({ id }: Application, language: string): Promise<string[]> {
    await stage.open(`/directory/applications/${id}`);
    await stage.link(language).click();
    await stage.page.locator('[aria-label="Language"] [aria-current]', { hasText: language }).waitFor();
    return stage.page.locator('#quick-start pre').allInnerTexts();
  }

  /** Starts a program. Its output is read line by line, and its input can be written. */
  function run(command: string, args: string[], { secret = '' }: Application) {
    const env = { PATH: process.env.PATH, CLIENT_SECRET: secret };
    const child = spawn(command, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      line: async () => (await lines.next()).value as string,
      type: (text: string) => child.stdin.write(`${text}\n`),
      [Symbol.asyncDispose]: async () => {
        if (child.exitCode === null && child.kill()) await once(child, 'exit');
      },
    };
  }

  async function runNode(application: Application) {
    const [code = ''] = await codeOf(application, 'Node.js');
    await writeFile(join(folder, 'start.mjs'), code);
    return run(process.execPath, ['start.mjs'], application);
  }

  /** Signs alice in at this address, and returns the redirect back to the application. */
  async function signIn(address: string): Promise<URL> {
    const { username, password } = castOf(stage.service).alice;
    const visitor = new Visitor(stage.service.url);
    await visitor.open(address);
    await visitor.submit('identifier', { identifier: username });
    await visitor.submit('password', { password });
    return visitor.left as URL;
  }

  const aliceId = () => castOf(stage.service).alice.id;

  it('of a web application sign a user in with Node.js', async () => {
    const redirectUri = `http://localhost:${await freePort()}/call'back`;
    const application = await create('Traditional', [redirectUri]);
    await using program = await runNode(application);
    expect(await program.line()).toBe(`Open ${new URL('/sign-in', redirectUri)}`);
    const begun = await fetch(new URL('/sign-in', redirectUri), { redirect: 'manual' });
    const back = await signIn(begun.headers.get('location') as string);
    const cookie = String(begun.headers.get('set-cookie')).split(';')[0] as string;
    const stolen = await fetch(back, { headers: { cookie: 'sign-in=another.browser' } });
    expect(stolen.status).toBe(400);
    expect(await (await fetch(back, { headers: { cookie } })).text()).toBe(`Signed in as ${aliceId()}`);
  });

  it('of a native application sign a user in with Node.js', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    const application = await create('Native', ['com.example.app://callback', redirectUri]);
    await using program = await runNode(application);
    const back = await signIn((await program.line()).replace('Open ', ''));
    expect(await (await fetch(back)).text()).toBe('You can close this window.');
    expect(await program.line()).toBe(`Signed in as ${aliceId()}`);
  });

  it('of a single-page application sign a user in with JavaScript in a browser', async () => {
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/`;
    const application = await create('SPA', [redirectUri]);
    const [code = ''] = await codeOf(application, 'JavaScript');
    const page = `<!doctype html><body><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script><script type="module" src="/sign-in.js"></script>`;
    const server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', redirectUri);
      const isPage = pathname === '/';
      const file = () => readFile(join(ROOT, pathname), 'utf8');
      const body = isPage ? page : pathname === '/sign-in.js' ? code : await file();
      response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript').end(body);
    }).listen(port);
    const { username, password } = castOf(stage.service).alice;
    const context = await stage.browser.newContext({ locale: 'en-US' });
    const tab = await context.newPage();
    await tab.goto(redirectUri);
    await signInOn(tab, username, password);
    await tab.getByText(`Signed in as ${aliceId()}`).waitFor();
    await context.close();
    server.closeAllConnections();
    server.close();
  });

  it('of a machine-to-machine application get a token for the resource of its roles', async () => {
    const { api } = stage.service;
    const application = await create('MachineToMachine');
    const resource = await api.must('POST /resources', { name: 'Shop', indicator: "https://shop.example/it's" });
    const scope = await api.must(`POST /resources/${resource.id}/scopes`, { name: "read:'orders'" });
    const fields = { name: 'Reader', description: 'Reads', type: 'MachineToMachine', scopeIds: [scope.id] };
    const role = await api.must('POST /roles', fields);
    await api.must(`POST /applications/${application.id}/roles`, { roleIds: [role.id] });
    const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    const expected = { aud: "https://shop.example/it's", scope: "read:'orders'", client_id: application.id };
    {
      await using program = await runNode(application);
      expect(claims(await program.line())).toMatchObject(expected);
    }
    const [, commands = ''] = await codeOf(application, 'curl');
    await look(stage.page, 'console-application-machine');
    await using program = run('bash', ['--norc', '-c', commands], application);
    expect(claims(JSON.parse(await program.line()).access_token)).toMatchObject(expected);
  });

  it.each(['Traditional', 'SPA', 'Native'])('of the type %s sign a user in with curl', async (type) => {
    const redirectUri = `http://127.0.0.1:4400/call'back;$(date)`;
    const application = await create(type, [redirectUri]);
    const blocks = await codeOf(application, 'curl');
    const commands = blocks.filter((block) => !block.startsWith('export')).join('\n');
    await look(stage.page, `console-application-${type}`);
    await using program = run('bash', ['--norc', '-c', commands], application);
    expect(await program.line()).toBe('Open this address in a browser and sign in:');
    const back = await signIn(await program.line());
    program.type(back.searchParams.get('code') as string);
    expect(JSON.parse(await program.line())).toMatchObject({ token_type: 'Bearer', id_token: expect.any(String) });
  });

  it('have code in every language that fits the type, with the client ID of the application', async () => {
    const languages = {
      Traditional: ['Node.js', 'Next.js', 'Python', 'Go', 'curl'],
      SPA: ['JavaScript', 'Next.js', 'curl'],
      Native: ['Node.js', 'Python', 'Go', 'curl'],
      MachineToMachine: ['Node.js', 'Next.js', 'Python', 'Go', 'curl'],
    };
    const tabs = stage.page.getByRole('navigation', { name: 'Language' });
    for (const [type, offered] of Object.entries(languages)) {
      const application = await create(type);
      await stage.open(`/directory/applications/${application.id}`);
      expect(await tabs.getByRole('link').allInnerTexts()).toEqual(offered);
      const hasNote = await stage.page.getByText('to the redirect URIs first').count();
      expect([type, hasNote]).toEqual([type, type === 'MachineToMachine' ? 0 : 1]);
      for (const language of offered)
        expect((await codeOf(application, language)).join('\n')).toContain(application.id);
    }
  });
});
