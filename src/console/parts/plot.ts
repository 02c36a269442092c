import { type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest } from '../route.ts';
import { livePart } from './live.ts';

interface PlotSeries {
  name: string;
  /** Color of failures, the same in all plots. Other series are colored by position. */
  tone?: 'warn' | 'bad';
}

interface PlotParts {
  id: string;
  title: string;
  /** At most three. Bars are stacked; lines are for values that do not add up. */
  series: readonly PlotSeries[];
  shape?: 'lines' | undefined;
  /** Unit of the values, for the axis. */
  unit?: string | undefined;
  /** A value as text. */
  text: (value: number) => string;
  /** Equal steps, oldest first, with a value for each series. */
  steps: readonly { startsAt: number; values: readonly number[] }[];
  /** Path of the page that selecting a time range leads to. It gets `since` and `until`. */
  rangePath: string;
}

/** Steps that can still change, or have changed a moment ago. The others are sent once. */
const OPEN_STEPS = 2;
const DAY_MS = 86_400_000;

export const toneOf = ({ tone }: PlotSeries, index: number): string => tone ?? String(index + 1);

const inUtc = { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } as const;
const CLOCKS = {
  time: new Intl.DateTimeFormat('en-GB', inUtc),
  day: new Intl.DateTimeFormat('en-GB', { ...inUtc, day: 'numeric', month: 'short' }),
};

/** A time of day, with the day if asked for: in UTC, or in the browser's time zone once its script has run. */
export function clockTime(time: number, clock: keyof typeof CLOCKS): Html {
  const date = new Date(time);
  return html`<time datetime="${date.toISOString()}" data-clock="${clock}">${CLOCKS[clock].format(date)}</time>`;
}

/** The name of the time zone of `clockTime`. */
export const timeZone = (): Html => html`<span data-zone>UTC</span>`;

/** A plot and its data as a table. The script draws the plot from the table, so the two cannot differ. */
export function plotOf(
  request: ConsoleRequest,
  { id, title, series, shape, unit, text, steps, rangePath }: PlotParts,
): Html {
  const spanMs = (steps.at(-1)?.startsAt ?? 0) - (steps[0]?.startsAt ?? 0);
  const clock = spanMs > DAY_MS ? 'day' : 'time';
  const rows = steps.map(({ startsAt, values }) => {
    const cells = values.map(
      (value, index) =>
        html`<td class="number" data-label="${series[index]?.name}"><data value="${value}">${text(value)}</data></td>`,
    );
    return html`<tr><th scope="row">${clockTime(startsAt, clock)}</th>${cells}</tr>`;
  });
  const heads = series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`);
  const body = (part: string, some: readonly Html[]) => livePart(request, `${id}-${part}`, html`${some}`, 'tbody');
  return html`<div class="plot" data-plot="${id}-table" data-shape="${shape ?? 'bars'}" data-tones="${series.map(toneOf).join(' ')}"${unit && html` data-unit="${unit}"`} data-range="${request.to(rangePath)}" tabindex="0" role="slider" aria-label="${title}, by time" aria-valuemin="0" aria-valuemax="${steps.length - 1}" aria-valuenow="${steps.length - 1}" hidden></div>
<details class="plot-table" id="${id}-table"><summary>Table<span class="unseen"> of ${title}</span></summary><div class="table-frame" tabindex="0" role="region" aria-label="${title}, as a table"><table><caption class="unseen">${title}</caption><thead><tr><th scope="col">From (${timeZone()})</th>${heads}</tr></thead>${body('past', rows.slice(0, -OPEN_STEPS))}${body('latest', rows.slice(-OPEN_STEPS))}</table></div></details>`;
}

/** How to use a plot. The script shows it. */
export const plotHelp = (): Html =>
  html`<p id="plot-help" class="quiet" hidden>Drag across a plot to zoom in. With the keyboard: arrow keys move, Shift and an arrow key select, Enter zooms in.</p>`;
