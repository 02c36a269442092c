import type { Request, Response } from 'express';
import { html } from '../../pages/html.ts';
import { chooseLanguage, textsOf } from '../texts/index.ts';
import { sendPage } from './respond.ts';

/**
 * The page shown while the service sheds load. It uses no tenant and no style sheet, because both would cost another
 * request or query.
 */
export function sendBusyPage(request: Request, response: Response, status: 429 | 503 = 503): void {
  const asked = { autoDetect: true, fallbackLanguage: 'en' } as const;
  const language = chooseLanguage(undefined, request.headers['accept-language'], asked);
  const { busyTitle, busy } = textsOf(language).error;
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${busyTitle}</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>${busyTitle}</h1>
<p>${busy}</p>
</body>
</html>
`;
  sendPage(response, status, page);
}
