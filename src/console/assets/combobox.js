/** A combobox with suggestions from the server, as the ARIA Authoring Practices describe it. */

/** Time without a key before a request is sent. */
const PAUSE_MS = 120;

function optionOf(item, index, listId) {
  const option = document.createElement('li');
  option.id = `${listId}-${index}`;
  option.role = 'option';
  option.ariaSelected = 'false';
  for (const [tag, text] of [
    ['span', item.name],
    ['small', item.about],
    ['small', item.kind],
  ]) {
    if (!text) continue;
    const part = document.createElement(tag);
    part.textContent = text;
    option.append(part, ' ');
  }
  return option;
}

/**
 * Connects an input with a list of options.
 *
 * @param url of the JSON with the options; the text is added as `q`
 * @param choose is called with the chosen item
 * @param status element that says how many options there are, if any
 * @param isEager true if an empty text has options too, and Enter chooses the first option as soon as there is one
 * @returns `close` and `load`
 */
export function combobox({ input, list, url, choose, status, isEager = false }) {
  let items = [];
  let active = -1;
  let timer;
  let request;
  /** True while the options are for an earlier text. */
  let isStale = false;
  /** True after Enter was pressed before the options for the text had arrived. */
  let isHurried = false;

  const say = (text) => {
    if (status) status.textContent = text;
  };

  const activate = (index) => {
    active = index;
    for (const [position, option] of [...list.children].entries()) option.ariaSelected = String(position === index);
    const option = list.children[index];
    option?.scrollIntoView({ block: 'nearest' });
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
  };

  const show = (found) => {
    items = found;
    isStale = false;
    list.replaceChildren(...items.map((item, index) => optionOf(item, index, list.id)));
    list.hidden = items.length === 0;
    input.ariaExpanded = String(items.length > 0);
    activate(items.length > 0 ? 0 : -1);
  };

  const close = () => {
    clearTimeout(timer);
    request?.abort();
    show([]);
    say('');
  };

  const load = async () => {
    request?.abort();
    const current = new AbortController();
    request = current;
    const text = input.value.trim();
    if (text === '' && !isEager) return close();
    const asked = new URL(url, location.href);
    asked.searchParams.set('q', text);
    try {
      const response = await fetch(asked, { signal: current.signal });
      if (response.redirected) return say('Your session has ended. Sign in again.');
      if (!response.ok) throw new Error(`status ${response.status}`);
      const found = await response.json();
      if (current.signal.aborted) return;
      show(found);
      if (isHurried) return pick(0);
      if (found.length === 0) say('No results.');
      else say(`${found.length} ${found.length === 1 ? 'result' : 'results'}.`);
    } catch (error) {
      if (error.name === 'AbortError') return;
      show([]);
      say('The search failed. Try again.');
    }
  };

  const pick = (index) => {
    const item = items[index];
    isHurried = false;
    if (!item) return;
    close();
    choose(item);
  };

  const MOVES = {
    ArrowDown: () => (active + 1) % items.length,
    ArrowUp: () => (active - 1 + items.length) % items.length,
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    request?.abort();
    isHurried = false;
    isStale = true;
    activate(-1);
    timer = setTimeout(load, PAUSE_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key in MOVES && items.length > 0) {
      event.preventDefault();
      if (!isStale) activate(MOVES[event.key]());
    } else if (event.key === 'Enter' && active >= 0) {
      event.preventDefault();
      pick(active);
    } else if (event.key === 'Enter' && isEager) {
      event.preventDefault();
      isHurried = true;
    } else if (event.key === 'Escape' && items.length > 0 && !isEager) {
      event.preventDefault();
      close();
    }
  });
  // Keeps the focus in the input.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) pick([...list.children].indexOf(option));
  });
  return { close, load };
}
