/** Comfort only: every page works without this file. */

/** A button says that it waits only when waiting is felt. */
const BUSY_AFTER_MS = 150;

/** A second key after `g` counts this long. */
const SECOND_KEY_MS = 1_500;

addEventListener('submit', (event) => {
  const form = event.target;
  if (form.dataset.sent !== undefined) return event.preventDefault();
  form.dataset.sent = '';
  const button = event.submitter ?? form.querySelector('button');
  setTimeout(() => button?.setAttribute('aria-busy', 'true'), BUSY_AFTER_MS);
});

// The page may come back from the browser's cache as it was left.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
});

/** Called again for what a live page has renewed. */
export function enhance(root) {
  for (const button of root.querySelectorAll('[data-copy]')) button.hidden = false;
  // The exact time in the reader's own zone, in the page's language: a browser's own may be none that JavaScript takes.
  const { lang } = document.documentElement;
  for (const time of root.querySelectorAll('time')) time.title = new Date(time.dateTime).toLocaleString(lang);
}

addEventListener('click', async (event) => {
  const button = event.target.closest?.('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.dataset.copied = '';
  setTimeout(() => delete button.dataset.copied, SECOND_KEY_MS);
});

let isWaiting = false;

addEventListener('keydown', (event) => {
  // The path leads into shadow roots: the script's editor is in one.
  const isTyping = event.composedPath()[0].closest?.('input, textarea, select, [contenteditable]');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isWaiting) {
    isWaiting = false;
    const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) location.assign(link.href);
  } else if (event.key === 'g') {
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
    }, SECOND_KEY_MS);
  } else if (event.key === '/') {
    const search = document.querySelector('main input[type="search"]');
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === '?') {
    document.getElementById('keys')?.togglePopover();
  }
});

enhance(document);
document.querySelector('[aria-invalid="true"]')?.focus();
