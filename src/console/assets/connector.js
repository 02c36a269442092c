/** Keeps the redirect URI that is shown above the form of a connector in step with its target. */
const target = document.getElementById('target');
const shown = document.querySelector('[data-redirect-uri]');

target.addEventListener('input', () => {
  const uri = shown.dataset.redirectUri + (target.value.trim() || 'TARGET');
  const button = shown.querySelector('[data-copy]');
  shown.querySelector('code').textContent = uri;
  button.dataset.copy = uri;
  button.setAttribute('aria-label', `Copy ${uri}`);
});
