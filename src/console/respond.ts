import type { ErrorRequestHandler, Response } from 'express';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import { documentOf } from '../pages/document.ts';
import { type Html, html, trusted } from '../pages/html.ts';
import { policyWithScript, sendPage } from '../pages/send.ts';
import type { Tenant } from '../tenants.ts';
import { importMapOf, importsOf, markPath, modulePath, stylePath } from './modules.ts';

interface Document {
  title: string;
  body: Html;
  /** Modules to load in addition to `console/start`. */
  modules?: readonly string[];
}

/** Sends a complete document. URLs start with the path of the default tenant's endpoint. */
export function sendDocument(
  response: Response,
  status: number,
  { path }: Tenant,
  { title, body, modules = [] }: Document,
): void {
  const { text, hash } = importMapOf(path);
  const names = ['console/start', ...modules];
  const scripts = names.map((name) => html`<script type="module" src="${path}${modulePath(name)}"></script>`);
  const preloads = importsOf(names).map((name) => html`<link rel="modulepreload" href="${path}${modulePath(name)}">`);
  const head = html`<link rel="stylesheet" href="${path}${stylePath}">
<script type="importmap">${trusted(text)}</script>
${preloads}
${scripts}`;
  const document = documentOf({ language: 'en', title, icon: path + markPath, head, body });
  sendPage(response, status, document, {
    'Content-Security-Policy': policyWithScript(hash),
    // Not no-referrer: with it, browsers send `Origin: null` when a form is submitted.
    'Referrer-Policy': 'same-origin',
  });
}

/** Sends a page without the frame, such as an error or a sign-in result. */
export const sendPlain = (response: Response, status: number, tenant: Tenant, title: string, content: Html): void =>
  sendDocument(response, status, tenant, {
    title,
    body: html`<body class="plain"><main class="plain-main"><p class="brand"><img src="${tenant.path}${markPath}" alt="" width="24" height="24"> ${tenant.name} console</p><div class="card"><h1>${title}</h1>${content}</div></main></body>`,
  });

/** Title and text of error pages by status. */
const ERRORS: Record<number, readonly [title: string, text: string]> = {
  403: [
    'Request rejected',
    'The form was not sent from this console, or your session has ended. Reload the page and try again.',
  ],
  404: ['Page not found', 'The page does not exist, or you do not manage its tenant.'],
};

/** Renders a ServiceError as a page. Any other error is passed on, to be logged. */
export const errorPages: ErrorRequestHandler = (error, request, response, next) => {
  if (!(error instanceof ServiceError) || response.headersSent) return next(error);
  const { tenant } = contextOf(request);
  const { status, message } = error;
  const [title, text] =
    error.code === 'administrator.role_required'
      ? ['Not allowed', message]
      : (ERRORS[status] ?? ['Something went wrong', message]);
  const back = html`<p>${text}</p><a class="button" href="${tenant.path}/console">Go to the console</a>`;
  sendPlain(response, status, tenant, title, back);
};
