import type { ErrorRequestHandler } from 'express';
import { unavailable } from '../database/drivers/unavailable.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../observe/logger.ts';

interface BodyParserError {
  type?: string;
  status?: number;
}

/** Returns the `ServiceError` for an error of Express, its body parser or the database. Undefined for any other error. */
function translate(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof URIError)
    return new ServiceError('guard.invalid_input', {
      message: 'The path of the request is not valid. Encode it as UTF-8.',
    });
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
      return status === 400 ? new ServiceError('request.malformed_json') : unavailable(error);
  }
}

/** Returns the OAuth error (RFC 6749 §5.2) for a failure that occurs before oidc-provider handles the request. */
const oauthBody = (message: string) => {
  const error = 'temporarily_unavailable';
  return { error, error_description: message, code: `oidc.${error}`, message };
};

/** Responds `{ code, message, data?, details? }`. Any other error is 500 `internal` with a request id, never a stack. */
export function errorResponse(logger: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const known = translate(error);
    const requestId = response.getHeader('X-Request-Id');
    if (known?.code === 'request.unavailable' && known !== error)
      logger.warn({ reason: known.message, err: error, requestId, path: request.path }, 'Service unavailable');
    if (!known) logger.error({ err: error, requestId, method: request.method, path: request.path }, 'Request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { code, message, status, data, details, headers } = known ?? new ServiceError('internal');
    response.status(status).set(headers);
    if (code === 'request.unavailable') response.set('Cache-Control', 'no-store');
    if (code === 'request.unavailable' && /^[^?]*\/oidc\//.test(request.originalUrl)) {
      response.json(oauthBody(message));
      return;
    }
    response.json({ code, message, data, details, ...(known ? {} : { requestId }) });
  };
}
