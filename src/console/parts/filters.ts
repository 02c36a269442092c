import { type Html, html } from '../../pages/html.ts';
import { type Options, optionsOf } from './form-parts.ts';

/** One of several, for a list to be narrowed to. */
export const choice = (name: string, label: string, options: Options, chosen: string): Html =>
  html`<label>${label}<select name="${name}">${optionsOf(options, chosen)}</select></label>`;

/** What a list is narrowed to stays in the address of its page, `path`. */
export const filters = (path: string, inputs: Html | readonly Html[], isNarrowed: boolean): Html =>
  html`<form class="filters" method="get" action="${path}">${inputs}<button class="button">Filter</button>${isNarrowed && html`<a class="button" href="${path}">Clear</a>`}</form>`;
