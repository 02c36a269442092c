import type { RequestHandler } from 'express';

const INSERTED = /^\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/[^?]*?)?\/oidc\/?(?=\?|$)/;

/**
 * RFC 8414 §3.1: for an issuer with a path the well-known name is inserted before that path. The
 * request goes on as one for the document below the issuer, so its tenant is found by the inserted path.
 */
export const insertedMetadataPath: RequestHandler = (request, _response, next) => {
  if (request.url.startsWith('/.well-known/')) {
    request.url = request.url.replace(INSERTED, (_, name: string, path = '') => `${path}/oidc/.well-known/${name}`);
    request.originalUrl = request.url;
  }
  next();
};
