import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Sends a GET with `Host` and other headers as given. `fetch` does not allow setting some of them. */
export function rawRequest(
  base: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(new URL(path, base), { headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}
