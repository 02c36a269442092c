import type { Response } from 'express';
import { ServiceError } from '../errors.ts';
import { parser } from '../http/operations/validate.ts';
import { documentOf } from '../pages/document.ts';
import { html } from '../pages/html.ts';
import { previewHeaders, sendPage } from '../pages/send.ts';
import { previewOf } from '../sign-in/preview.ts';
import { SignInSettings } from '../sign-in/settings.ts';
import type { Tenant } from '../tenants.ts';
import { brandOf } from './places/settings/brand.ts';
import type { ConsoleRequest } from './route.ts';

const NO_STYLE = "'none'";
const parse = parser(SignInSettings, 'body');

/** Sends the tenant's sign-in page for a frame of the brand page, with the values of its form if they were sent. */
export async function sendPreview(response: Response, home: Tenant, request: ConsoleRequest): Promise<void> {
  const scheme = request.query.get('scheme') === 'dark' ? 'dark' : 'light';
  try {
    const { tenantId: _id, images: _images, ...saved } = (await request.perform('GET /sign-in-exp')).value;
    const draft = request.submitted.size > 0 ? brandOf(request.submitted, saved) : {};
    const settings = parse({ ...saved, ...draft }) as SignInSettings;
    const { page, styleHash } = await previewOf({ settings, path: home.path, store: request.tenant.store, scheme });
    sendPage(response, 200, page, previewHeaders(styleHash));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const body = html`<body><p>${error.details ?? error.message}</p></body>`;
    sendPage(response, error.status, documentOf({ language: 'en', title: 'Preview', body }), previewHeaders(NO_STYLE));
  }
}
