import type { ShowcaseService } from './service.ts';

export type Json = Record<string, unknown>;
export type Call = (route: string, json?: Json) => Promise<Json>;

/** Posts a form. @throws unless the response is successful */
export async function post(
  url: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Json> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers });
  const answer = (await response.json()) as Json;
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Calls the Management API, or the Operator API, with a token of the machine-to-machine application that may. */
export async function callerOf(service: ShowcaseService, api: 'Management' | 'Operator'): Promise<Call> {
  const { endpoint, credentials } = service;
  const { machine, operator, managementApiIndicator } = credentials;
  const [{ clientId, clientSecret }, base, resource, scope] =
    api === 'Management'
      ? ([machine, `${endpoint}/api`, managementApiIndicator, 'all'] as const)
      : ([operator, `${endpoint}/admin/api`, `${endpoint}/admin/api`, 'tenants'] as const);
  const { access_token: token } = await post(
    `${endpoint}/oidc/token`,
    { grant_type: 'client_credentials', resource, scope },
    { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
  );
  return async (route, json) => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
      body: json ? JSON.stringify(json) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : {};
  };
}
