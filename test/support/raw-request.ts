import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/**
 * Sends a GET with `Host` and other headers as given. `fetch` does not allow setting some of them. `bytes` are those on
 * the wire: a compressed body stays compressed.
 */
export function rawRequest(
  base: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer; body: string }> {
  return new Promise((resolve, reject) => {
    request(new URL(path, base), { headers }, (response) => {
      const { statusCode: status, headers } = response;
      buffer(response).then((bytes) => resolve({ status, headers, bytes, body: bytes.toString() }), reject);
    })
      .on('error', reject)
      .end();
  });
}
