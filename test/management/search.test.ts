import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

describe.each(databases)('search on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind, { DEMO: 'false' });
    const make = (username: string, name: string, primaryEmail: string) =>
      service.api.must('POST /users', { username, name, primaryEmail });
    await make('anna', 'Anna 100%', 'anna@one.example');
    await make('bert', 'Bert_Ö [x]', 'bert@two.example');
    await make('carl', 'anna carl', 'carl@one.example');
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const found = async (query: Record<string, string> | string[][]) => {
    const { status, body } = await service.api.call(`GET /users?${new URLSearchParams(query)}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.map(({ username }: { username: string }) => username).toSorted();
  };
  const refused = async (query: Record<string, string> | string[][]) =>
    service.api.call(`GET /users?${new URLSearchParams(query)}`);

  it.each<[string, Record<string, string>, string[]]>([
    ['any field, by a pattern', { search: 'ann%' }, ['anna', 'carl']],
    ['without regard to case', { search: 'ANNA%' }, ['anna', 'carl']],
    ['with regard to case if requested', { search: 'Anna%', isCaseSensitive: 'true' }, ['anna']],
    ['a whole value without wildcards', { search: 'anna' }, ['anna']],
    ['one character', { 'search.username': '_ert' }, ['bert']],
    ['an escaped percent sign', { 'search.name': '%\\%' }, ['anna']],
    ['an escaped percent sign, case-sensitive', { 'search.name': '%\\%', isCaseSensitive: 'true' }, ['anna']],
    ['brackets, which are special only in GLOB', { 'search.name': '%[x]', isCaseSensitive: 'true' }, ['bert']],
    ['letters beyond ASCII only in the same case', { 'search.name': 'bert_ö%' }, []],
    ['one field', { 'search.primaryEmail': '%@one.example' }, ['anna', 'carl']],
    ['exact', { 'search.username': 'BERT', mode: 'exact' }, ['bert']],
    ['exact with case', { 'search.username': 'BERT', 'mode.username': 'exact', isCaseSensitive: 'true' }, []],
    ['either', { 'search.username': 'bert', 'search.primaryEmail': '%@one.example' }, ['anna', 'bert', 'carl']],
    ['both', { 'search.name': '%anna%', 'search.username': 'c%', joint: 'and' }, ['carl']],
    ['an injected quote as text', { search: "' or 1=1 --" }, []],
  ])('finds %s', async (_, query, usernames) => {
    expect(await found(query)).toEqual(usernames);
  });

  it('accepts several values only in the mode exact', async () => {
    const two = [
      ['search.username', 'anna'],
      ['search.username', 'carl'],
    ];
    expect(await found([...two, ['mode', 'exact']])).toEqual(['anna', 'carl']);
    expect(await refused(two)).toMatchObject({ status: 400, body: { code: 'request.invalid_input' } });
  });

  it.each<[string, Record<string, string>]>([
    ['a field it does not have', { 'search.passwordHash': '%' }],
    ['a mode it does not have', { search: 'a', mode: 'fuzzy' }],
    ['a mode of an unknown field', { search: 'a', 'mode.tenantId': 'like' }],
    ['an empty value', { search: '' }],
    ['a joint it does not have', { search: 'a', joint: 'xor' }],
    ['a pattern that ends in its escape', { search: 'a\\' }],
  ])('refuses %s', async (_, query) => {
    expect(await refused(query)).toMatchObject({ status: 400, body: { code: 'request.invalid_input' } });
  });

  it.runIf(kind === 'sqlite')('refuses the modes that need PostgreSQL', async () => {
    expect(await refused({ search: 'a', mode: 'posix' })).toMatchObject({
      status: 400,
      body: { code: 'request.invalid_input', message: expect.stringContaining('PostgreSQL') },
    });
  });

  it.runIf(kind === 'postgres')('matches regular expressions', async () => {
    expect(await found({ 'search.username': '^(anna|bert)$', mode: 'posix' })).toEqual(['anna', 'bert']);
    expect(await found({ 'search.username': '(ANNA|carl)', mode: 'similar_to' })).toEqual(['anna', 'carl']);
    expect(await refused({ search: '(', mode: 'posix' })).toMatchObject({
      status: 400,
      body: { code: 'request.invalid_input' },
    });
  });

  it('counts all matches and pages through them', async () => {
    const { headers, body } = await service.api.call('GET /users?search=%25one.example&page_size=1&page=2');
    expect(headers.get('total-number')).toBe('2');
    expect(body).toHaveLength(1);
    expect((await service.api.call('GET /users?page=1000')).body).toEqual([]);
  });
});
