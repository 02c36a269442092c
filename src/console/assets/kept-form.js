/** Returns a form to its author after a sign-in in the same tab. Without this script the sign-in opens in a new tab. */

const KEY = 'understudy:kept-form';

const kept = document.querySelector('form[data-kept]');

if (kept) {
  try {
    const sealed = kept.elements.kept.value;
    sessionStorage.setItem(KEY, JSON.stringify({ page: kept.dataset.kept, path: kept.getAttribute('action'), sealed }));
    kept.hidden = true;
    document.querySelector('[data-sign-in]').removeAttribute('target');
  } catch {
    // The form is too large for the browser's storage, or storage is turned off.
  }
} else {
  const { page, path, sealed } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  if (page === location.pathname) {
    sessionStorage.removeItem(KEY);
    const form = Object.assign(document.createElement('form'), { method: 'post', action: path, hidden: true });
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'kept', value: sealed }));
    document.body.append(form);
    form.submit();
  }
}
