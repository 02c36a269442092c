import { type Html, html } from '../../pages/html.ts';
import { type Options, optionsOf } from './form-parts.ts';

/** A select that filters a list by one of several values. */
export const choice = (name: string, label: string, options: Options, chosen: string): Html =>
  html`<label>${label}<select name="${name}">${optionsOf(options, chosen)}</select></label>`;

/** A filter form. It uses GET, so the filters are part of the page's URL. */
export const filters = (path: string, inputs: Html | readonly Html[], isNarrowed: boolean): Html =>
  html`<form class="filters" method="get" action="${path}">${inputs}<button class="button">Filter</button>${isNarrowed && html`<a class="button" href="${path}">Clear</a>`}</form>`;
