import type { RequestHandler } from 'express';
import type { Tracing } from '../../observe/tracing.ts';
import { areaOf } from './metrics.ts';

export type PeerTrust = (address: string | undefined) => boolean;

/**
 * Opens a span for each request. Its name does not contain the path, because paths contain ids, and those of the
 * sign-in pages are known to one browser only. A caller's trace is only continued if a trusted proxy sends it.
 * Anonymous callers could flood a trace.
 */
export function traceRequests(tracing: Tracing, isProxy: PeerTrust): RequestHandler {
  return (request, response, next) => {
    const { traceparent, tracestate } = request.headers;
    const isContinued = typeof traceparent === 'string' && isProxy(request.socket.remoteAddress);
    const span = tracing.open({
      name: `${request.method} ${areaOf(request.url)}`,
      kind: 'server',
      attributes: {
        'http.request.method': request.method,
        'understudy.request_id': String(response.getHeader('x-request-id')),
      },
      caller: isContinued ? { traceparent, ...(typeof tracestate === 'string' && { tracestate }) } : undefined,
    });
    response.once('close', () => {
      span.set({ 'http.response.status_code': response.statusCode });
      if (response.statusCode >= 500 || !response.writableFinished) span.markFailed();
      span.end();
    });
    span.enclose(next);
  };
}
