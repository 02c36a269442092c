import { createServer } from 'node:http';

/** A receiver of webhooks that fails: responds 503 to all requests, except at `/healthy` and for the start check. */
const HEALTHY = new Set(['/healthy', '/readyz']);

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.statusCode = HEALTHY.has(request.url ?? '') ? 200 : 503;
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT));
