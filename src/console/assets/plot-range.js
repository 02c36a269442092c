/** Selecting a time range in a plot: by dragging, or with the keyboard. */

/** Opens the page of the plot's range, for the steps from one index to another, both included. */
export function zoom({ dataset }, { times, step }, one, other) {
  const [first, last] = [Math.min(one, other), Math.max(one, other)];
  const url = new URL(dataset.range, location.href);
  url.searchParams.set('since', String(times[first] * 1_000));
  url.searchParams.set('until', String((times[last] + step) * 1_000));
  location.assign(url);
}

const MOVES = { ArrowLeft: -1, ArrowRight: 1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY };

/** Shows the selection without the event that a drag causes. */
function showSelection(plot, { times, step }, one, other) {
  const left = plot.valToPos(times[Math.min(one, other)], 'x');
  const right = plot.valToPos(times[Math.max(one, other)] + step, 'x');
  plot.setSelect({ left, width: right - left, top: 0, height: plot.over.clientHeight }, false);
}

const clearSelection = (plot) => plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);

/** Moves the cursor of the focused plot, selects with Shift, and zooms with Enter. @param drawnAt returns a place's plot */
export function selectWithKeys(drawnAt) {
  /** Where the selection of the focused plot starts. */
  let anchor;
  document.addEventListener('focusin', () => {
    anchor = undefined;
  });
  document.addEventListener('keydown', (event) => {
    const { target: place, key, shiftKey } = event;
    const drawn = drawnAt(place);
    if (!drawn || event.ctrlKey || event.metaKey || event.altKey) return;
    const { plot } = drawn;
    const shown = drawn.shown();
    const at = Number(place.ariaValueNow);
    if (key in MOVES) {
      const next = Math.max(0, Math.min(shown.times.length - 1, at + MOVES[key]));
      anchor = shiftKey ? (anchor ?? at) : undefined;
      plot.setCursor({ left: plot.valToPos(shown.times[next], 'x'), top: 0 }, true, true);
      if (anchor === undefined) clearSelection(plot);
      else showSelection(plot, shown, anchor, next);
    } else if (key === 'Enter') zoom(place, shown, anchor ?? at, at);
    else if (key === 'Escape') {
      anchor = undefined;
      clearSelection(plot);
    } else return;
    event.preventDefault();
  });
}
