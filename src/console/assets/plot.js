import { readPlot, showAt } from 'console/plot-data';
import { selectWithKeys, zoom } from 'console/plot-range';
import UPlot from 'uplot';

/** Draws each plot from its table, and again when the table is refreshed. All plots of a page share one time cursor. */

const HEIGHT = 140;
const HOUR_SECONDS = 3_600;
const { lang } = document.documentElement;
const compact = new Intl.NumberFormat(lang, { notation: 'compact', maximumFractionDigits: 1 });
const time = new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(lang, { weekday: 'short', day: 'numeric' });

const dateOf = (seconds) => new Date(seconds * 1_000);

/** Stacks each series on the previous ones. The highest comes first, so that the lower ones are drawn over it. */
const stacked = (series) =>
  series
    .map((_, index) => series[0].map((_, at) => series.slice(0, index + 1).reduce((sum, one) => sum + one[at], 0)))
    .reverse();

const dataOf = (place, { times, series }) => [times, ...(place.dataset.shape === 'bars' ? stacked(series) : series)];

/** Resolves a custom property with an element, because a canvas cannot. */
function colorOf(name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const DASHES = [undefined, [6, 4], [2, 3]];

/** Steps of an axis of whole numbers. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((n) => Array.from({ length: 12 }, (_, power) => n * 10 ** power))
  .sort((a, b) => a - b);

function seriesOf(place, count) {
  const tones = place.dataset.tones.split(' ');
  const drawn = Array.from({ length: count }, (_, index) => {
    const color = colorOf(`--plot-${tones[index]}`);
    return place.dataset.shape === 'bars'
      ? { fill: color, width: 0, paths: UPlot.paths.bars({ size: [0.85, 40], align: 1 }), points: { show: false } }
      : { stroke: color, width: 2, dash: DASHES[index], points: { show: false } };
  });
  return [{}, ...(place.dataset.shape === 'bars' ? drawn.reverse() : drawn)];
}

/** @param shown the data that is drawn now */
function optionsOf(place, shown) {
  const [muted, line] = ['--muted', '--line'].map(colorOf);
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const { unit } = place.dataset;
  const axis = { stroke: muted, font, ticks: { show: false } };
  const areWhole = shown().series.flat().every(Number.isInteger) && !unit;
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 24, 0, 0],
    scales: {
      x: { range: () => [shown().times[0], shown().times.at(-1) + shown().step] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        space: 72,
        values: (_plot, splits, _index, _space, increment) =>
          splits.map((at) => (increment < 24 * HOUR_SECONDS ? time : day).format(dateOf(at))),
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: 56, // The same in all plots, so that their times are below each other.
        space: 36,
        ...(areWhole && { incrs: WHOLE_STEPS }),
        values: (_plot, splits) => splits.map((value) => `${compact.format(value)}${unit ? ` ${unit}` : ''}`),
      },
    ],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: { show: false },
      sync: { key: 'time' },
    },
    series: seriesOf(place, shown().series.length),
    hooks: {
      setCursor: [({ cursor }) => showAt(place, cursor.idx)],
      setSelect: [
        (plot) => {
          if (plot.select.width === 0) return;
          const { times, step } = shown();
          const [from, to] = [plot.select.left, plot.select.left + plot.select.width].map((left) =>
            Math.floor((plot.posToVal(left, 'x') - times[0]) / step),
          );
          zoom(place, shown(), from, Math.min(to, times.length - 1));
        },
      ],
    },
  };
}

/** A drawn plot by its place. */
const plots = new Map();

function draw(place) {
  let shown = readPlot(place);
  plots.get(place)?.plot.destroy();
  place.hidden = false;
  const label = document.createElement('p');
  label.className = 'plot-at';
  label.ariaHidden = 'true';
  place.replaceChildren(label);
  const plot = new UPlot(
    optionsOf(place, () => shown),
    dataOf(place, shown),
    place,
  );
  plot.root.ariaHidden = 'true';
  plots.set(place, {
    plot,
    shown: () => shown,
    redraw() {
      shown = readPlot(place);
      plot.setData(dataOf(place, shown));
    },
  });
  resized.observe(place);
}

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) plots.get(target)?.plot.setSize({ width: target.clientWidth, height: HEIGHT });
});

function drawAll() {
  document.querySelectorAll('[data-plot]').forEach(draw);
  const help = document.getElementById('plot-help');
  if (help) help.hidden = false;
}

drawAll();
selectWithKeys((place) => plots.get(place));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
document.addEventListener('refreshed', ({ target }) => {
  const table = target.closest('.plot-table');
  if (table) plots.get(document.querySelector(`[data-plot="${table.id}"]`))?.redraw();
  else if (target.querySelector('[data-plot]')) {
    // The first data: from now on each part is refreshed separately.
    target.removeAttribute('data-live');
    drawAll();
  }
});
