import 'console/unsaved';
import 'console/kept-form';

/** Progressive enhancement of every page. Pages work without it. */

/** Delay before a button looks busy, so that fast responses do not flicker. */
const BUSY_AFTER_MS = 150;

/** Time to press the second key of a shortcut that starts with `g`. */
const SECOND_KEY_MS = 1_500;

addEventListener('submit', (event) => {
  const form = event.target;
  if (form.dataset.sent !== undefined) return event.preventDefault();
  form.dataset.sent = '';
  const button = event.submitter ?? form.querySelector('button');
  setTimeout(() => button?.setAttribute('aria-busy', 'true'), BUSY_AFTER_MS);
});

// Restores forms when the browser shows the page from its back/forward cache.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
});

// Times are in the reader's time zone but the page's language: JavaScript refuses some browser locales, such as en-US@posix.
const { lang } = document.documentElement;
const inClock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const CLOCKS = {
  time: new Intl.DateTimeFormat(lang, inClock),
  day: new Intl.DateTimeFormat(lang, { ...inClock, day: 'numeric', month: 'short' }),
};
const zoneName = () =>
  new Intl.DateTimeFormat(lang, { timeZoneName: 'short' }).formatToParts().find(({ type }) => type === 'timeZoneName')
    .value;

/** Shows copy buttons and times in the reader's time zone. Called again for refreshed elements. */
export function enhance(root) {
  for (const button of root.querySelectorAll('[data-copy]')) button.hidden = false;
  for (const time of root.querySelectorAll('time[data-clock]'))
    time.textContent = CLOCKS[time.dataset.clock].format(new Date(time.dateTime));
  for (const zone of root.querySelectorAll('[data-zone]')) zone.textContent = zoneName();
  for (const time of root.querySelectorAll('time')) time.title = new Date(time.dateTime).toLocaleString(lang);
}

addEventListener('click', async (event) => {
  const button = event.target.closest?.('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.dataset.copied = '';
  setTimeout(() => delete button.dataset.copied, SECOND_KEY_MS);
});

for (const label of document.querySelectorAll('[data-select-all]')) {
  label.hidden = false;
  label.control.addEventListener('change', ({ target }) => {
    for (const box of target.form.elements) if (box.name === 'id') box.checked = target.checked;
  });
}

let isWaiting = false;

addEventListener('keydown', (event) => {
  // The composed path includes shadow roots, such as the script editor's.
  const isTyping = event.composedPath()[0].closest?.('input, textarea, select, [contenteditable]');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isWaiting) {
    isWaiting = false;
    document.querySelector(`[data-go="${CSS.escape(event.key)}"]`)?.click();
  } else if (event.key === 'g') {
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
    }, SECOND_KEY_MS);
  } else if (event.key === '/') {
    event.preventDefault();
    const search = document.querySelector('main input[type="search"]');
    if (!search) return document.getElementById('palette-button')?.click();
    search.focus();
    search.select();
  } else if (event.key === '?') {
    document.getElementById('keys')?.togglePopover();
  }
});

enhance(document);

/** The first field with an error, or else the error of the form. */
const faulty = document.querySelector('[aria-invalid="true"]') ?? document.querySelector('form .note.bad');
if (faulty?.matches('.note')) faulty.tabIndex = -1;
faulty?.focus();
