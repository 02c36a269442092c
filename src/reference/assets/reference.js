/** Adds a search, copy buttons, and requests with a token of this tab. The reference can be read without it. */

const { dataset } = document.body;
const api = new URL(dataset.api, location.href);

/** The token, in the storage of this tab: other pages of the reference need it too, and it is gone with the tab. */
const KEY = `token of ${api.href}`;

function tokenHere() {
  const { value, expiresAt } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  return expiresAt > Date.now() ? value : undefined;
}

const authorize = document.getElementById('authorize');
const status = document.getElementById('authorized');

function showToken() {
  const token = tokenHere();
  authorize.querySelector('[data-forget]').hidden = token === undefined;
  authorize.querySelector('summary').textContent = token ? 'Authorized' : 'Authorize';
}

/** Encodes a client's id or secret for a Basic header (RFC 6749 §2.3.1). */
const encoded = (text) => new URLSearchParams({ '': text }).toString().slice(1);

async function requestToken() {
  const [id, secret] = ['client-id', 'client-secret'].map((field) => document.getElementById(field).value);
  const response = await fetch(new URL(dataset.token, api), {
    method: 'POST',
    credentials: 'omit', // Otherwise a browser may ask for a password when the secret is wrong.
    headers: { authorization: `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: dataset.indicator, scope: dataset.scope }),
  });
  const answer = await response.json();
  if (!response.ok)
    throw new Error(answer.error_description ?? answer.message ?? `The service responded ${response.status}.`);
  if (answer.scope !== dataset.scope)
    throw new Error(`The application has no role with the scope ${dataset.scope}. Assign one, then try again.`);
  return { value: answer.access_token, expiresAt: Date.now() + answer.expires_in * 1000 };
}

authorize.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  status.textContent = '';
  try {
    const token = await requestToken();
    sessionStorage.setItem(KEY, JSON.stringify(token));
    const minutes = Math.round((token.expiresAt - Date.now()) / 60_000);
    status.textContent = `You have a token for ${minutes} minutes.`;
    document.getElementById('client-secret').value = '';
    authorize.open = false;
    authorize.querySelector('summary').focus();
  } catch (error) {
    status.textContent = error instanceof TypeError ? 'The service could not be reached. Try again.' : error.message;
  }
  showToken();
});

authorize.querySelector('[data-forget]').addEventListener('click', () => {
  sessionStorage.removeItem(KEY);
  status.textContent = 'The token was removed from this tab.';
  showToken();
});

authorize.hidden = false;
showToken();

/** Returns the URL of a request, with the values of its parameters. */
function urlOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const { value, dataset: field } of form.querySelectorAll('[data-in]'))
    if (field.in === 'path') path = path.replace(`{${field.name}}`, () => encodeURIComponent(value));
    else if (value !== '') query.set(field.name, value);
  return new URL(`.${path}${query.size > 0 ? `?${query}` : ''}`, api);
}

const indented = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

async function send(form) {
  const token = tokenHere();
  if (!token) return { line: 'Get a token first: open Authorize at the top of the page.' };
  const body = form.querySelector('[data-body]')?.value;
  const startedAt = performance.now();
  const response = await fetch(urlOf(form), {
    method: form.dataset.method,
    credentials: 'omit',
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const line = `${response.status} ${response.statusText}, ${Math.round(performance.now() - startedAt)} ms`;
  return { line, text: text && indented(text) };
}

for (const panel of document.querySelectorAll('.try')) {
  panel.hidden = false;
  panel.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const form = event.target;
    const button = event.submitter ?? form.querySelector('button');
    if (button.getAttribute('aria-busy')) return;
    button.setAttribute('aria-busy', 'true');
    const { line, text } = await send(form).catch(() => ({ line: 'The service could not be reached. Try again.' }));
    button.removeAttribute('aria-busy');
    const summary = document.createElement('p');
    summary.textContent = line;
    const parts = [summary];
    if (text) {
      const block = document.createElement('pre');
      block.textContent = text;
      parts.push(block);
    }
    form.querySelector('[data-response]').replaceChildren(...parts);
  });
}

/** Time for which a copy button shows that it worked. */
const COPIED_MS = 1_500;

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.dataset.copied = '';
    setTimeout(() => delete button.dataset.copied, COPIED_MS);
  });
}

const filter = document.getElementById('filter');
const groups = [...document.querySelectorAll('[data-group]')];
const startedHidden = new Set(document.querySelectorAll('[data-group] > ul[hidden]'));

/** Shows the operations and groups whose name or path contains every word. */
function showFound() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const group of groups) {
    const [link, list] = group.children;
    const isNamed = words.every((word) => link.textContent.toLowerCase().includes(word));
    let inGroup = 0;
    for (const item of list?.children ?? []) {
      const text = `${item.textContent.toLowerCase()} ${item.firstElementChild.dataset.words}`;
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) inGroup += 1;
    }
    if (list) list.hidden = words.length === 0 ? startedHidden.has(list) : inGroup === 0;
    group.hidden = !isNamed && inGroup === 0;
    found += inGroup;
  }
  const label = found === 1 ? '1 operation' : `${found} operations`;
  document.getElementById('found').textContent = words.length === 0 ? '' : label;
}

document.getElementById('search').hidden = false;
filter.addEventListener('input', showFound);

addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  filter.focus();
  filter.select();
});
