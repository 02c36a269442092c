import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A plain receiver: reads the body, responds 200, and notifies the parent when the expected number has arrived. */
let wanted = Number.POSITIVE_INFINITY;
let arrivals: [number, string][] = [];

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    response.end();
    arrivals.push([performance.timeOrigin + performance.now(), body]);
    if (arrivals.length === wanted) process.send?.('last');
  });
});
server.keepAliveTimeout = 60_000;

process.on('message', (message: number | 'arrivals') => {
  if (message === 'arrivals') {
    process.send?.(arrivals.map(([at, body]) => [at, JSON.parse(body).data?.n]));
    return;
  }
  wanted = message;
  arrivals = [];
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
