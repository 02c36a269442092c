import { type Html, html } from './html.ts';

/** The parts of an HTML document. */
export interface DocumentParts {
  language: string;
  title: string;
  /** Further elements of the head. */
  head?: Html | readonly Html[];
  /** The `body` element. */
  body: Html;
}

/** Renders an HTML document. No page is indexed, and none asks the browser for an icon file. */
export const documentOf = ({ language, title, head, body }: DocumentParts): Html => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
</head>
${body}
</html>
`;
