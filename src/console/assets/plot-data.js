/** The data of a plot, read from its table. */

const tableOf = (place) => document.getElementById(place.dataset.plot);

/** Returns the times in seconds, the seconds between two, and the values of each series. */
export function readPlot(place) {
  const table = tableOf(place);
  const rows = [...table.querySelectorAll('tbody tr')];
  const times = rows.map((row) => Date.parse(row.querySelector('time').dateTime) / 1_000);
  const count = table.querySelectorAll('thead th').length - 1;
  const series = Array.from({ length: count }, (_, index) =>
    rows.map((row) => Number(row.querySelectorAll('data')[index].value)),
  );
  return { times, step: times[1] - times[0], series };
}

/** Shows the values at a time of the plot: below the pointer, and to screen readers as the value of the slider. */
export function showAt(place, index) {
  const label = place.querySelector('.plot-at');
  const table = tableOf(place);
  const row = index === null || index === undefined ? undefined : table.querySelectorAll('tbody tr')[index];
  const names = [...table.querySelectorAll('thead th')].slice(1).map(({ textContent }) => textContent);
  const values = row && [...row.querySelectorAll('data')].map(({ textContent }, at) => `${names[at]} ${textContent}`);
  label.textContent = row ? `${row.querySelector('time').textContent}: ${values.join(', ')}` : '';
  if (!row) return;
  place.ariaValueNow = String(index);
  place.ariaValueText = label.textContent;
}
