import { describe, expect, it } from 'vitest';
import { authorization, Visitor } from '../sign-in/visitor.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('the console sign-in on %s', (kind) => {
  it('requires a new sign-in, even if the browser changes the authorization parameters', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    await visitor.submit('identifier', { identifier: actor.username });
    await visitor.submit('password', { password: actor.password });
    expect(visitor.left?.searchParams.has('code')).toBe(true);

    const began = await visitor.send(new URL(`${service.url}/console/-/sign-in`));
    const asked = new URL(began.headers.get('location') as string);
    expect(asked.searchParams.get('prompt')).toBe('login');
    for (const parameter of ['prompt', 'max_age']) asked.searchParams.delete(parameter);
    expect((await visitor.open(asked)).url.pathname).toMatch(/^\/sign-in\//);
    asked.searchParams.set('prompt', 'none');
    const refused = await visitor.open(asked);
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('You are not signed in') });
    expect(visitor.cookies.map(({ name }) => name)).not.toContain('console_session');

    // With the password the sign-in succeeds.
    await visitor.open(`${service.url}/console/-/sign-in`);
    await visitor.submit('identifier', { identifier: actor.username });
    await visitor.submit('password', { password: actor.password });
    expect(visitor.cookies.map(({ name }) => name)).toContain('console_session');
  });

  it('does not complete an earlier request with the stolen session of a user who signed in later', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    const thief = new Visitor(service.url);
    const began = await thief.send(new URL(`${service.url}/console/-/sign-in`));
    const asked = new URL(began.headers.get('location') as string);
    asked.searchParams.delete('prompt');

    const owner = new Visitor(service.url);
    await owner.open((await authorization(service)).url);
    await owner.submit('identifier', { identifier: actor.username });
    await owner.submit('password', { password: actor.password });
    const stolen = owner.cookies.filter(({ name }) => name.includes('session'));
    expect(stolen.length).toBeGreaterThan(0);
    thief.takeCookies(stolen);
    expect((await thief.open(asked)).url.pathname).toMatch(/^\/sign-in\//);
    expect(thief.cookies.map(({ name }) => name)).not.toContain('console_session');
  });
});
