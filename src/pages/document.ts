import { type Html, html } from './html.ts';

/** The parts of an HTML document. */
export interface DocumentParts {
  language: string;
  title: string;
  /** URL of the icon. Without one the browser does not ask for any. */
  icon?: string | undefined;
  /** Further elements of the head. */
  head?: Html | readonly Html[];
  /** The `body` element. */
  body: Html;
}

/** Renders an HTML document. No page is indexed. */
export const documentOf = ({
  language,
  title,
  icon = 'data:,',
  head,
  body,
}: DocumentParts): Html => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}">
${head}
</head>
${body}
</html>
`;
