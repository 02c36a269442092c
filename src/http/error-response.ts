import type { ErrorRequestHandler } from 'express';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../observe/logger.ts';

interface BodyParserError {
  type?: string;
  status?: number;
}

/** What Express and its body parser throw, in our own words. */
function translate(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof URIError)
    return new ServiceError('guard.invalid_input', { message: 'The path of the request is not valid.' });
  const { type, status } = error as BodyParserError;
  switch (type) {
    case 'entity.parse.failed':
      return new ServiceError('request.malformed_json');
    case 'entity.too.large':
      return new ServiceError('request.too_large');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new ServiceError('request.unsupported_media_type');
    default:
      return status === 400 ? new ServiceError('request.malformed_json') : undefined;
  }
}

/** `{ code, message, data?, details? }`; anything unforeseen is 500 `internal` with a request id, never a stack. */
export function errorResponse(logger: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const known = translate(error);
    const requestId = response.getHeader('X-Request-Id');
    if (!known) logger.error({ err: error, requestId, method: request.method, path: request.path }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { code, message, status, data, details, headers } = known ?? new ServiceError('internal');
    response.status(status).set(headers);
    response.json({ code, message, data, details, ...(known ? {} : { requestId }) });
  };
}
