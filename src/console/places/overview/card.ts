import type { Overview } from '../../../management/settings/overview.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Visit } from '../../route.ts';

type Counts = Overview['total'];

interface Series {
  name: string;
  /** What went wrong looks so, in every plot; the others have the colours of their order. */
  tone?: 'warn' | 'bad';
  value: (counts: Counts) => number;
}

/** A number with its change, its course, and the way to the rows behind it. */
export interface Plot {
  id: string;
  title: string;
  /** Path of the rows behind it. */
  rows?: string;
  /** The number, of a point or of the whole. */
  value: (counts: Counts) => number;
  text: (value: number) => string;
  /** Of a number that is above, or below, the one before. */
  comparison?: readonly [above: string, below: string];
  /** In place of the number and its change. */
  headline?: (overview: Overview, span: string) => { number: string; beside: string };
  /** What is so at this moment, and the path of its rows. */
  now?: (overview: Overview) => { text: string; rows?: string };
  /** At most three. Bars are stacked; lines stand for what does not add up. */
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

/** In words, so that nobody has to read an arrow or a colour. */
export function changeText(
  value: number,
  before: number,
  span: string,
  [above, below]: NonNullable<Plot['comparison']> = ['more', 'less'],
): string {
  if (value === before) return `as in the ${span} before`;
  if (before === 0) return `none in the ${span} before`;
  const percent = Math.round((Math.abs(value - before) / before) * 100);
  if (percent >= 1_000) return `${whole.format(Math.round(value / before))} times the ${span} before`;
  return `${percent < 1 ? 'under 1' : percent} % ${value > before ? above : below} than in the ${span} before`;
}

/** Also what the script that draws it reads, so the plot and its table cannot differ. */
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

export function plotCard(visit: Visit, plot: Plot, overview: Overview, span: string): Html {
  const { id, title, rows, value, text, comparison, headline, now, series, shape } = plot;
  const { total, before } = overview;
  const { number, beside } = headline?.(overview, span) ?? {
    number: text(value(total)),
    beside: changeText(value(total), value(before), span, comparison),
  };
  const linked = (label: string, path: string | undefined) =>
    path === undefined ? html`<span>${label}</span>` : html`<a href="${visit.to(path)}">${label}</a>`;
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
