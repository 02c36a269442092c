import { exampleOf } from '../base/example.ts';
import { shellQuoted } from '../base/shell.ts';
import type { OperationEntry } from './document.ts';

/** The addresses of an API in a tenant. */
export interface Addresses {
  /** Base URL of the API, such as `https://id.example.com/api`. */
  api: string;
  tokenEndpoint: string;
  /** The resource that a token is requested for. */
  indicator: string;
  scope: string;
}

/** Quotes a text for a shell unless it is one word. Indicators are chosen by a tenant's administrators. */
const shellWord = (text: string): string => (/^[\w:/.@%=-]+$/.test(text) ? text : shellQuoted(text));

const indented = (text: string): string => text.replaceAll('\n', '\n  ');

/** The URL with example ids and with the query parameters that are required. */
function urlOf({ path, parameters }: OperationEntry, { api }: Addresses): string {
  const values = new Map(parameters.map(({ name, schema }) => [name, String(exampleOf(schema, name))]));
  const query = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const search = new URLSearchParams(query.map(({ name }) => [name, values.get(name) ?? '']));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''));
  return `${api}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

/** A `curl` command that sends the example. The access token is in `$TOKEN`. */
export function curlOf(operation: OperationEntry, addresses: Addresses): string {
  const { method, body } = operation;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellWord(urlOf(operation, addresses))}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(body
      ? [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(JSON.stringify(body.example, null, 2))}`]
      : []),
  ].join(' \\\n  ');
}

/** A module for Node that sends the example. The access token is in the environment variable `TOKEN`. */
export function nodeOf(operation: OperationEntry, addresses: Addresses): string {
  const { method, body, success } = operation;
  const isJson = success.content?.schema.type !== 'string';
  return `const response = await fetch('${urlOf(operation, addresses)}', {
  method: '${method}',
  headers: {
    authorization: \`Bearer \${process.env.TOKEN}\`,${body ? "\n    'content-type': 'application/json'," : ''}
  },${body ? `\n  body: JSON.stringify(${indented(JSON.stringify(body.example, null, 2))}),` : ''}
});
console.log(response.status${success.content ? `, await response.${isJson ? 'json' : 'text'}()` : ''});
`;
}

/** A `curl` command that requests an access token and puts it into `$TOKEN`. */
export const curlToken = ({ tokenEndpoint, indicator, scope }: Addresses): string =>
  `TOKEN=$(curl -s ${shellWord(tokenEndpoint)} -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials --data-urlencode ${shellWord(`resource=${indicator}`)} -d scope=${scope} |
  node -p 'JSON.parse(fs.readFileSync(0)).access_token')
`;

/** A module for Node that requests an access token and prints it. */
export const nodeToken = ({ tokenEndpoint, indicator, scope }: Addresses): string =>
  `const { CLIENT_ID, CLIENT_SECRET } = process.env;
const response = await fetch('${tokenEndpoint}', {
  method: 'POST',
  headers: { authorization: \`Basic \${btoa(\`\${CLIENT_ID}:\${CLIENT_SECRET}\`)}\` },
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    resource: ${JSON.stringify(indicator)},
    scope: '${scope}',
  }),
});
const { access_token: token } = await response.json();
console.log(token);
`;
