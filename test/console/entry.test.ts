import { describe, expect, it } from 'vitest';
import { authorization, Visitor } from '../sign-in/visitor.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('the way into the console on %s', (kind) => {
  it('does not make a session out of an older sign-in, with whatever parameters the browser goes', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    await visitor.submit('identifier', { identifier: actor.username });
    await visitor.submit('password', { password: actor.password });
    expect(visitor.left?.searchParams.has('code')).toBe(true);
    await withinAnotherSecond();

    const began = await visitor.send(new URL(`${service.url}/console/-/sign-in`));
    const asked = new URL(began.headers.get('location') as string);
    expect(asked.searchParams.get('prompt')).toBe('login');
    for (const parameter of ['prompt', 'max_age']) asked.searchParams.delete(parameter);
    const refused = await visitor.open(asked);
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('You are not signed in') });
    expect(visitor.cookies.map(({ name }) => name)).not.toContain('console_session');

    // With a proof it opens.
    await visitor.open(`${service.url}/console/-/sign-in`);
    await visitor.submit('identifier', { identifier: actor.username });
    await visitor.submit('password', { password: actor.password });
    expect(visitor.cookies.map(({ name }) => name)).toContain('console_session');
  });
});

/** The time of a sign-in is kept in whole seconds. */
async function withinAnotherSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second) await new Promise((resolve) => setTimeout(resolve, 20));
}
