import type { Overview } from '../../../management/settings/overview.ts';
import { type Html, html } from '../../../pages/html.ts';
import { livePart } from '../../parts/live.ts';
import { plotOf, toneOf } from '../../parts/plot.ts';
import type { ConsoleRequest } from '../../route.ts';

type Counts = Overview['total'];

interface Series {
  name: string;
  /** Color of failures, the same in all plots. Other series are colored by position. */
  tone?: 'warn' | 'bad';
  value: (counts: Counts) => number;
}

/** A figure of the overview: a number, its change, its plot, and a link to its rows. */
export interface Plot {
  id: string;
  title: string;
  /** Path of the page that lists its rows, for a time range of the URL. */
  rows?: (range: URLSearchParams) => string;
  /** Computes the number, for one point or for the total. */
  value: (counts: Counts) => number;
  text: (value: number) => string;
  /** Unit of the axis. */
  unit?: string;
  /** Words for a number above or below the previous one. */
  comparison?: readonly [above: string, below: string];
  /** Replaces the number and its change. */
  headline?: (overview: Overview, span: string) => { number: string; beside: string };
  /** The current state, with the path of its rows. */
  now?: (overview: Overview) => { text: string; rows?: string };
  /** At most three. Bars are stacked; lines are for values that do not add up. */
  series: readonly Series[];
  shape?: 'lines';
}

const whole = new Intl.NumberFormat('en');

/** The change in words, because arrows and colors are not accessible to everyone. */
function changeText(
  value: number,
  before: number,
  span: string,
  [above, below]: NonNullable<Plot['comparison']> = ['more', 'less'],
): string {
  if (value === before) return `same as the previous ${span}`;
  if (before === 0) return `none in the previous ${span}`;
  const percent = Math.round((Math.abs(value - before) / before) * 100);
  if (percent >= 1_000) return `${whole.format(Math.round(value / before))} times the previous ${span}`;
  return `${percent < 1 ? 'under 1' : percent}% ${value > before ? above : below} than the previous ${span}`;
}

export function plotCard(request: ConsoleRequest, plot: Plot, overview: Overview, span: string): Html {
  const { id, title, rows, value, text, comparison, headline, now, series, shape, unit } = plot;
  const { total, before, points } = overview;
  const { number, beside } = headline?.(overview, span) ?? {
    number: text(value(total)),
    beside: changeText(value(total), value(before), span, comparison),
  };
  const linked = (label: string, path: string | undefined) =>
    path === undefined ? html`<span>${label}</span>` : html`<a href="${request.to(path)}">${label}</a>`;
  const current = now?.(overview);
  const keys =
    series.length > 1 &&
    html`<ul class="plot-keys">${series.map((one, index) => html`<li><span class="plot-key tone-${toneOf(one, index)}" aria-hidden="true"></span>${one.name} <b>${text(one.value(total))}</b></li>`)}</ul>`;
  const head = html`<div class="row"><h2 id="${id}">${linked(title, rows?.(rangeQueryOf(overview)))}</h2>${current && linked(current.text, current.rows)}</div>
<p class="plot-number">${number}</p>
<p class="quiet">${beside}</p>
${keys}`;
  const steps = points.map((point) => ({
    startsAt: point.startsAt,
    values: series.map(({ value }) => value(point)),
  }));
  return html`<section class="plot-card" aria-labelledby="${id}">
${livePart(request, `${id}-now`, head)}
${plotOf(request, { id, title, series, shape, unit, text, steps, rangePath: '/overview' })}
</section>`;
}

/** The time range of the overview, for the URL of a list. */
function rangeQueryOf({ range, since, until }: Overview): URLSearchParams {
  return new URLSearchParams(range === undefined ? { since: String(since), until: String(until) } : { range });
}
