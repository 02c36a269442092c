/** An answer as a test looks at it. `body` is parsed JSON, or undefined when there was none. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on shapes.
  body: any;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text || undefined,
  };
}

/** What a public address answers, for what must be JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on shapes.
export async function getJson(url: string, headers: Record<string, string> = {}): Promise<any> {
  return (await fetch(url, { headers })).json();
}

/** Posts a form to the token endpoint, or to another below `/oidc`. Repeated values as arrays. */
export async function postForm(
  url: string,
  form: Record<string, string | string[] | undefined>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    for (const one of [value].flat()) if (one !== undefined) body.append(name, one);
  return answerOf(await fetch(url, { method: 'POST', body, headers }));
}

/** The Management API, called as a machine-to-machine application of its tenant. */
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
    if (status !== 200) throw new Error(`no machine token: ${status} ${JSON.stringify(body)}`);
    this.#token = body.access_token as string;
    return this.#token;
  }

  /** `call('POST /roles', { … })`; the path is below `/api`. */
  async call(route: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const [method, path] = route.split(' ') as [string, string];
    return answerOf(
      await fetch(`${this.#endpoint}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await this.token()}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  }

  /** Like `call`, for what must succeed: its body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on shapes.
  async must(route: string, body?: unknown): Promise<any> {
    const answer = await this.call(route, body);
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
