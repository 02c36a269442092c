import { enhance } from 'console/start';

/**
 * Refreshes the elements marked `data-live` when the server reports a change. The attribute is a digest of what the
 * element shows, if the server gave one: it then sends the element without content unless that changed.
 */

/** An element in use, such as an open menu or a ticked row, is not replaced. */
const isInUse = (part) =>
  part.contains(document.activeElement) || part.querySelector('details[open], :popover-open, input:checked');

const liveParts = () => [...document.querySelectorAll('[data-live][id]')];

async function refresh() {
  const shown = liveParts().flatMap(({ dataset }) => dataset.live || []);
  const response = await fetch(location.href, { headers: { accept: 'text/html', 'x-shown': shown.join(',') } });
  if (response.redirected || !response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of liveParts()) {
    const next = fresh.getElementById(part.id);
    if (!next || isInUse(part)) continue;
    const { live } = next.dataset;
    if (live ? live === part.dataset.live : next.innerHTML === part.dataset.shown) continue;
    part.innerHTML = next.innerHTML;
    if (live) part.dataset.live = live;
    else part.dataset.shown = next.innerHTML;
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
