import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** The rules for every call in docs/wire-contract.md. */
describe.each(databases)('every call on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const raw = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${await service.api.token()}`, ...init.headers };
    const answer = await fetch(`${service.url}/api${path}`, { ...init, headers });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const post = (body: string, type = 'application/json') =>
    raw('/roles', { method: 'POST', body, headers: { 'content-type': type } });

  it('is refused without a valid access token', async () => {
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(`${service.url}/api/users`, { headers });
      const body = (await answer.json()) as { code: string; data?: object };
      return { status: answer.status, challenge: answer.headers.get('www-authenticate'), ...body };
    };
    expect(await ask({})).toMatchObject({
      status: 401,
      code: 'auth.authorization_header_missing',
      challenge: expect.stringMatching(/^Bearer resource_metadata="http/),
    });
    expect(await ask({ authorization: 'Basic YTpi' })).toMatchObject({
      status: 401,
      code: 'auth.authorization_token_type_not_supported',
      data: { supportedTypes: ['Bearer'] },
    });
    expect(await ask({ authorization: 'Bearer nonsense' })).toMatchObject({ status: 401, code: 'auth.unauthorized' });
  });

  it('reports each fault of a body with its path', async () => {
    const answer = await service.api.call('POST /roles', { name: '', description: 7, tenantId: 'other' });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'guard.invalid_input', message: expect.stringContaining('body') },
    });
    expect(answer.body.details.split('\n').toSorted()).toEqual([
      'body.description: must be string',
      'body.name: must NOT have fewer than 1 characters',
      'body.tenantId: unknown property',
    ]);
  });

  it('distinguishes bodies that are malformed, too large, of another type and too deep', async () => {
    expect(await post('{"name":')).toMatchObject({ status: 400, body: { code: 'request.malformed_json' } });
    expect(await post(`{"name":"${'x'.repeat(1_100_000)}"}`)).toMatchObject({
      status: 413,
      body: { code: 'request.too_large' },
    });
    expect(await post('name=x', 'application/x-www-form-urlencoded')).toMatchObject({
      status: 415,
      body: { code: 'request.unsupported_media_type' },
    });
    expect(await post(`{"a":${'['.repeat(70)}${']'.repeat(70)}}`)).toMatchObject({ status: 400 });
    expect(await post('{"name":"a\\u0000b","description":"x"}')).toMatchObject({
      status: 400,
      body: { details: expect.stringContaining('body.name') },
    });
  });

  it('refuses unknown paths and paths that are not valid text', async () => {
    expect(await raw('/nothing')).toMatchObject({ status: 404, body: { code: 'request.not_found' } });
    for (const path of ['/users/%ff', '/users/%', '/users/%00', '/users/%ed%a0%80'])
      expect(await raw(path), path).toMatchObject({ status: 400 });
  });

  it('is paginated with a total and links', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await service.api.must('POST /organization-scopes', { name: `page:${name}` });
    const answer = await service.api.call('GET /organization-scopes?q=page%3A&page=2&page_size=2');
    expect(answer.body.map(({ name }: { name: string }) => name)).toEqual(['page:c', 'page:d']);
    expect(answer.headers.get('total-number')).toBe('5');
    const link = (page: number, relation: string) =>
      `<${service.url}/api/organization-scopes?q=page%3A&page=${page}&page_size=2>; rel="${relation}"`;
    expect(answer.headers.get('link')?.split(', ')).toEqual([
      link(1, 'first'),
      link(1, 'prev'),
      link(3, 'next'),
      link(3, 'last'),
    ]);

    const whole = await service.api.call('GET /organization-scopes?q=page%3A');
    expect(whole.body).toHaveLength(5);
    expect(whole.headers.has('total-number')).toBe(false);
    for (const query of ['page=0', 'page_size=101', 'page=x', 'page=1&page=2', 'page=99999999999'])
      expect(await service.api.call(`GET /users?${query}`), query).toMatchObject({
        status: 400,
        body: { code: 'guard.invalid_pagination' },
      });
  });

  it('has three codes for a resource that does not exist', async () => {
    const id = 'z'.repeat(21);
    const body = { name: 'x' };
    expect(await service.api.call(`GET /roles/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'entity.not_exists_with_id' },
    });
    expect(await service.api.call(`PATCH /roles/${id}`, body)).toMatchObject({
      status: 404,
      body: { code: 'entity.not_exists' },
    });
    expect(await service.api.call(`DELETE /roles/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'entity.not_found' },
    });
    expect(await service.api.call(`GET /users/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'entity.not_found' },
    });
    expect(await service.api.call(`PATCH /users/${id}`, body)).toMatchObject({
      status: 404,
      body: { code: 'entity.not_found' },
    });
  });

  it('answers the status check of a load balancer without a token', async () => {
    expect((await fetch(`${service.url}/api/status`)).status).toBe(204);
  });

  it('refuses an empty update', async () => {
    const { id } = await service.api.must('POST /users', { username: 'still' });
    expect(await service.api.call(`PATCH /users/${id}`, {})).toMatchObject({
      status: 422,
      body: { code: 'entity.invalid_input' },
    });
  });
});
