import type { Overview } from '../../../management/settings/overview.ts';
import { type Html, html } from '../../../pages/html.ts';
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
  /** Path of the page that lists its rows. */
  rows?: string;
  /** Computes the number, for one point or for the total. */
  value: (counts: Counts) => number;
  text: (value: number) => string;
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
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const dayClock = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

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

/** The data as a table. The script draws the plot from it, so the two cannot differ. */
function dataTable({ title, series, text }: Plot, { points, range }: Overview): Html {
  const format = range === '7d' ? dayClock : clock;
  const rows = points.map((point) => {
    const cells = series.map(({ name, value }) => {
      const figure = value(point);
      return html`<td class="number" data-label="${name}"><data value="${figure}">${text(figure)}</data></td>`;
    });
    const start = new Date(point.startsAt);
    return html`<tr><th scope="row"><time datetime="${start.toISOString()}">${format.format(start)}</time></th>${cells}</tr>`;
  });
  const heads = series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`);
  return html`<table><caption class="unseen">${title}</caption><thead><tr><th scope="col">From (UTC)</th>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

export function plotCard(request: ConsoleRequest, plot: Plot, overview: Overview, span: string): Html {
  const { id, title, rows, value, text, comparison, headline, now, series, shape } = plot;
  const { total, before } = overview;
  const { number, beside } = headline?.(overview, span) ?? {
    number: text(value(total)),
    beside: changeText(value(total), value(before), span, comparison),
  };
  const linked = (label: string, path: string | undefined) =>
    path === undefined ? html`<span>${label}</span>` : html`<a href="${request.to(path)}">${label}</a>`;
  const tones = series.map(({ tone }, index) => tone ?? index + 1);
  const current = now?.(overview);
  const keys =
    series.length > 1 &&
    html`<ul class="plot-keys">${series.map((one, index) => html`<li><span class="plot-key tone-${tones[index]}" aria-hidden="true"></span>${one.name} <b>${text(one.value(total))}</b></li>`)}</ul>`;
  return html`<section class="plot-card" aria-labelledby="${id}">
<div id="${id}-now" data-live>
<div class="row"><h2 id="${id}">${linked(title, rows)}</h2>${current && linked(current.text, current.rows)}</div>
<p class="plot-number">${number}</p>
<p class="quiet">${beside}</p>
${keys}
</div>
<div class="plot" data-plot="${id}-table" data-shape="${shape ?? 'bars'}" data-tones="${tones.join(' ')}" hidden></div>
<div id="${id}-table" data-live><details class="plot-table"><summary>Table<span class="unseen"> of ${title}</span></summary><div class="table-frame" tabindex="0" role="region" aria-label="${title}, as a table">${dataTable(plot, overview)}</div></details></div>
</section>`;
}
