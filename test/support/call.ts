import { type Dispatcher, request } from 'undici';

/** A response for assertions. `body` is parsed JSON, or undefined if there was none. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on shapes.
  body: any;
}

function answerFrom(status: number, headers: Headers, text: string): Answer {
  const isJson = headers.get('content-type')?.includes('json');
  return { status, headers, body: isJson && text ? JSON.parse(text) : text || undefined };
}

/** Fetches JSON from a public URL. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on shapes.
export async function getJson(url: string, headers: Record<string, string> = {}): Promise<any> {
  return (await fetch(url, { headers })).json();
}

/** Posts a form to the token endpoint or another endpoint below `/oidc`. Arrays are repeated parameters. */
export async function postForm(
  url: string,
  form: Record<string, string | string[] | undefined>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    for (const one of [value].flat()) if (one !== undefined) body.append(name, one);
  const response = await fetch(url, { method: 'POST', body, headers });
  return answerFrom(response.status, response.headers, await response.text());
}

/** A client of the Management API as a machine-to-machine application of its tenant. */
export class ManagementClient {
  readonly #endpoint: string;
  readonly #indicator: string;
  readonly #machine: { clientId: string; clientSecret: string };
  #token: string | undefined;

  constructor(endpoint: string, indicator: string, machine: { clientId: string; clientSecret: string }) {
    this.#endpoint = endpoint;
    this.#indicator = indicator;
    this.#machine = machine;
  }

  async token(scope = 'all'): Promise<string> {
    if (this.#token) return this.#token;
    const { clientId, clientSecret } = this.#machine;
    const { status, body } = await postForm(
      `${this.#endpoint}/oidc/token`,
      { grant_type: 'client_credentials', resource: this.#indicator, scope },
      { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    );
    if (status !== 200) throw new Error(`no Management API token: ${status} ${JSON.stringify(body)}`);
    this.#token = body.access_token as string;
    return this.#token;
  }

  /** `call('POST /roles', { … })`; the path is below `/api`. */
  async call(route: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const [method, path] = route.split(' ') as [Dispatcher.HttpMethod, string];
    // Not `fetch`, which was a sixth of the CPU time of the tests with the most requests.
    const answer = await request(`${this.#endpoint}/api${path}`, {
      method,
      headers: {
        'user-agent': 'node',
        authorization: `Bearer ${await this.token()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const lines = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((line): [string, string] => [name, line]),
    );
    return answerFrom(answer.statusCode, new Headers(lines), await answer.body.text());
  }

  /** Like `call`, but throws unless the response is a success. Returns its body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on shapes.
  async must(route: string, body?: unknown): Promise<any> {
    const answer = await this.call(route, body);
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
