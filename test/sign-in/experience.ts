import type { TestService } from '../support/start-service.ts';
import { authorization, Visitor } from './visitor.ts';

/** A custom sign-in page: sends JSON with the cookies of the interaction and the CSRF token from `GET /interaction`. */
export async function experience(service: TestService, parameters: Record<string, string> = {}) {
  const visitor = new Visitor(service.url);
  const { url, tokensAt } = await authorization(service, parameters);
  const page = await visitor.open(url);
  const uid = page.url.pathname.split('/').at(-1) as string;
  let csrfToken = '';
  const call = async (route: string, body?: unknown) => {
    const [method = '', path] = route.split(' ');
    const response = await visitor.send(new URL(`${service.url}/api/experience${path}`), {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-csrf-token': csrfToken },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests assert on shapes.
    return { status: response.status, body: (text ? JSON.parse(text) : undefined) as any };
  };
  const read = await call('GET /interaction');
  csrfToken = read.body.csrfToken;
  const submit = async () => {
    const { status, body } = await call('POST /submit');
    if (status !== 200) return { status, body, claims: undefined };
    await visitor.open(body.redirectTo);
    const { claims } = await tokensAt(visitor.left as URL);
    return { status, body, claims: claims() };
  };
  return { call, submit, visitor, uid };
}
