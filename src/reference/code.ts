import { type Html, html } from '../pages/html.ts';

/** Renders the code spans of a text: `name`. */
export const code = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** A block of code with a button that copies it. The button is hidden until the script has loaded. */
export const codeBlock = (text: string): Html =>
  html`<div class="code"><pre class="mono">${text}</pre><button type="button" class="button compact" hidden data-copy>Copy</button></div>`;

interface Sample {
  language: string;
  text: string;
}

/** The same in several languages. One is open at a time. @param name differs for each list of a page */
export const samples = (name: string, list: readonly Sample[]): Html =>
  html`<div class="samples">${list.map(
    ({ language, text }, index) =>
      html`<details name="${name}"${index === 0 && html` open`}><summary>${language}</summary>${codeBlock(text)}</details>`,
  )}</div>`;
