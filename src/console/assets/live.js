import { enhance } from 'console/start';

/** Refreshes the elements marked `data-live` when the server reports a change. */

/** An element in use, such as an open menu or a ticked row, is not replaced. */
const isInUse = (part) =>
  part.contains(document.activeElement) || part.querySelector('details[open], :popover-open, input:checked');

async function refresh() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (response.redirected || !response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live][id]')) {
    const next = fresh.getElementById(part.id);
    if (!next || isInUse(part) || next.innerHTML === part.dataset.shown) continue;
    part.innerHTML = next.innerHTML;
    part.dataset.shown = next.innerHTML;
    enhance(part);
    part.dispatchEvent(new CustomEvent('refreshed', { bubbles: true }));
  }
}

let isRefreshing = false;
let isChangedAgain = false;

/** Runs one refresh at a time. A change during a refresh starts one more. */
async function changed() {
  if (document.hidden) return;
  isChangedAgain = isRefreshing;
  if (isRefreshing) return;
  isRefreshing = true;
  await refresh().catch(() => undefined); // Offline, or the service is restarting: the next change tries again.
  isRefreshing = false;
  if (isChangedAgain) void changed();
}

new EventSource(document.body.dataset.live).addEventListener('changed', changed);
document.addEventListener('visibilitychange', changed);
