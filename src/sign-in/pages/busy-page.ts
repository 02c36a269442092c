import type { Request, Response } from 'express';
import { documentOf } from '../../pages/document.ts';
import { html } from '../../pages/html.ts';
import { sendPage } from '../../pages/send.ts';
import { chooseLanguage, textsOf } from '../texts/index.ts';

/**
 * The page shown while the service sheds load. It uses no tenant and no style sheet, because both would cost another
 * request or query.
 */
export function sendBusyPage(request: Request, response: Response, status: 429 | 503 = 503): void {
  const languageSettings = { autoDetect: true, fallbackLanguage: 'en' } as const;
  const language = chooseLanguage({ acceptLanguage: request.headers['accept-language'] }, languageSettings);
  const { busyTitle, busy } = textsOf(language).error;
  const head = html`<meta name="color-scheme" content="light dark">`;
  const body = html`<body>
<h1>${busyTitle}</h1>
<p>${busy}</p>
</body>`;
  sendPage(response, status, documentOf({ language: textsOf(language).language, title: busyTitle, head, body }));
}
