import type { ErrorRequestHandler } from 'express';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import { html } from '../pages/html.ts';
import { sendPlain } from './respond.ts';

const TITLES: Record<number, string> = {
  403: 'This was not done',
  404: 'There is no such page',
};

const WORDS: Record<number, string> = {
  403: 'The form was not sent from this console, or the session behind it is over. Open the page again.',
  404: 'It does not exist, or you do not manage the tenant it belongs to.',
};

/** Refusals as pages; what is a fault of ours goes on to the log. */
export const errorPages: ErrorRequestHandler = (error, request, response, next) => {
  if (!(error instanceof ServiceError) || response.headersSent) return next(error);
  const { tenant } = contextOf(request);
  const { status, message } = error;
  const back = html`<p>${WORDS[status] ?? message}</p><a class="button" href="${tenant.path}/console">Go to the console</a>`;
  sendPlain(response, status, tenant, TITLES[status] ?? 'This did not work', back);
};

/** Of a path that no page has. */
export const noSuchPage = (): never => {
  throw new ServiceError('request.not_found');
};
