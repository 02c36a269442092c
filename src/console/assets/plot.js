import UPlot from 'uplot';

/** Draws the plot of each card from the card's table, and redraws it when the table is refreshed. */

const HEIGHT = 140;
const HOUR_SECONDS = 3_600;
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const time = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' });
const moment = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });

const dateOf = (seconds) => new Date(seconds * 1_000);

/** Returns the times in seconds, and the names and values of the series. */
function readTable(table) {
  const rows = [...table.querySelectorAll('tbody tr')];
  const times = rows.map((row) => Date.parse(row.querySelector('time').dateTime) / 1_000);
  const names = [...table.querySelectorAll('thead th')].slice(1).map((head) => head.textContent);
  const series = names.map((_, index) => rows.map((row) => Number(row.querySelectorAll('data')[index].value)));
  return { times, names, series };
}

/** Stacks each series on the previous ones. The highest comes first, so that the lower ones are drawn over it. */
const stacked = (series) =>
  series
    .map((_, index) => series[0].map((_, at) => series.slice(0, index + 1).reduce((sum, one) => sum + one[at], 0)))
    .reverse();

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

function optionsOf(place, { times, series }, onCursor) {
  const isBars = place.dataset.shape === 'bars';
  const step = times[1] - times[0];
  const [muted, line] = ['--muted', '--line'].map(colorOf);
  const tones = place.dataset.tones.split(' ');
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const drawn = series.map((_, index) => {
    const color = colorOf(`--plot-${tones[index]}`);
    return isBars
      ? {
          fill: color,
          width: 0,
          paths: UPlot.paths.bars({ size: [0.85, 40], align: 1 }),
          points: { show: false },
        }
      : { stroke: color, width: 2, dash: DASHES[index], points: { show: false } };
  });
  const areWhole = series.flat().every(Number.isInteger);
  const axis = { stroke: muted, font, ticks: { show: false } };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 24, 0, 0],
    scales: {
      x: { range: () => [times[0], times.at(-1) + step] },
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
        size: 44,
        space: 36,
        ...(areWhole && {
          incrs: [1, 2, 5]
            .flatMap((n) => Array.from({ length: 12 }, (_, power) => n * 10 ** power))
            .sort((a, b) => a - b),
        }),
        values: (_plot, splits) => splits.map((value) => compact.format(value)),
      },
    ],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    series: [{}, ...(isBars ? drawn.reverse() : drawn)],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx)] },
  };
}

/** Shows the values at the pointer below the plot. */
function reader(card, table) {
  return (index) => {
    const label = card.querySelector('.plot-at');
    const row = index === null || index === undefined ? undefined : table().querySelectorAll('tbody tr')[index];
    label.textContent = row
      ? `${moment.format(new Date(row.querySelector('time').dateTime))}: ${[...row.querySelectorAll('data')].map(({ textContent }, at) => `${table().querySelectorAll('thead th')[at + 1].textContent} ${textContent}`).join(', ')}`
      : '';
  };
}

function draw(place) {
  const table = () => document.getElementById(place.dataset.plot);
  const read = readTable(table());
  const data = () => [read.times, ...(place.dataset.shape === 'bars' ? stacked(read.series) : read.series)];
  place.hidden = false;
  const label = document.createElement('p');
  label.className = 'plot-at';
  label.ariaHidden = 'true';
  place.replaceChildren(label);
  const plot = new UPlot(optionsOf(place, read, reader(place, table)), data(), place);
  plot.root.ariaHidden = 'true';
  return plot;
}

const plots = new Map();
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) plots.get(target)?.setSize({ width: target.clientWidth, height: HEIGHT });
});

function drawAgain(place) {
  plots.get(place)?.destroy();
  plots.set(place, draw(place));
  resized.observe(place);
}

const drawAll = () => document.querySelectorAll('[data-plot]').forEach(drawAgain);

drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
document.addEventListener('refreshed', ({ target }) => {
  const place = document.querySelector(`[data-plot="${target.id}"]`);
  if (place) drawAgain(place);
  else if (target.id === 'overview') {
    target.removeAttribute('data-live');
    drawAll();
  }
});
