import type { ErrorRequestHandler } from 'express';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import { html } from '../pages/html.ts';
import { sendPlain } from './respond.ts';

const TITLES: Record<number, string> = {
  403: 'Request rejected',
  404: 'Page not found',
};

const WORDS: Record<number, string> = {
  403: 'The form was not sent from this console, or your session has ended. Reload the page and try again.',
  404: 'The page does not exist, or you do not manage its tenant.',
};

/** Renders a ServiceError as a page. Any other error is passed on, to be logged. */
export const errorPages: ErrorRequestHandler = (error, request, response, next) => {
  if (!(error instanceof ServiceError) || response.headersSent) return next(error);
  const { tenant } = contextOf(request);
  const { status, message } = error;
  const back = html`<p>${WORDS[status] ?? message}</p><a class="button" href="${tenant.path}/console">Go to the console</a>`;
  sendPlain(response, status, tenant, TITLES[status] ?? 'Something went wrong', back);
};

/** Handles every path without a page. @throws 404 `request.not_found` */
export const noSuchPage = (): never => {
  throw new ServiceError('request.not_found');
};
