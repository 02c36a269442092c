/** Counts down to the `datetime` of each `<time data-until>` by the second. Without this script the page shows minutes. */

const TICK_MS = 1_000;

const two = (number) => String(number).padStart(2, '0');

function inWords(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = `${two(minutes)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

function tick() {
  for (const time of document.querySelectorAll('time[data-until]'))
    time.textContent = inWords(Date.parse(time.dateTime) - Date.now());
}

tick();
setInterval(tick, TICK_MS);
addEventListener('refreshed', tick);
