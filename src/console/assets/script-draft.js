/** Keeps unsaved changes of the script editor in the browser, and offers them when the editor is opened again. */

const SAVE_AFTER_MS = 300;

const NAMES = ['script', 'tokenSample', 'contextSample', 'blockIssuanceOnError', 'recordInputs'];

/** Returns the values that a version has, with the script's line breaks as the editor has them. */
function valuesOf({ elements }) {
  const textOf = ({ type, checked, value }) => (type === 'checkbox' ? checked : value.replaceAll('\r\n', '\n'));
  return Object.fromEntries(NAMES.map((name) => [name, textOf(elements.namedItem(name))]));
}

const isSame = (one, other) => NAMES.every((name) => one[name] === other[name]);

function readDraft(key) {
  try {
    const draft = JSON.parse(localStorage.getItem(key));
    return draft && NAMES.every((name) => name in draft.values) ? draft : undefined;
  } catch {
    return undefined;
  }
}

function writeDraft(key, draft) {
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft));
    else localStorage.removeItem(key);
  } catch {
    // The storage is full or turned off. The page still warns before it is left.
  }
}

/**
 * Saves the changes of the form while they are made. A draft is removed when it has become the active version.
 *
 * @param setScript replaces the script in the editor
 */
export function keepDraft(form, setScript) {
  const key = form.dataset.draft;
  const { base } = form.elements;
  const shown = valuesOf(form);
  const isUnsaved = form.dataset.unsaved !== undefined;
  /** The draft of an earlier visit, until the user has decided about it. Meanwhile it is not overwritten. */
  let offered = readDraft(key);

  const isActivated = ({ values, base: from }) =>
    from !== base.value &&
    values.script === shown.script &&
    values.blockIssuanceOnError === shown.blockIssuanceOnError &&
    values.recordInputs === shown.recordInputs;

  function save() {
    if (offered) return;
    const values = valuesOf(form);
    const isChanged = isUnsaved || !isSame(values, shown);
    writeDraft(key, isChanged ? { at: Date.now(), base: base.value, values } : undefined);
  }

  let waiting;
  form.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(save, SAVE_AFTER_MS);
  });
  addEventListener('pagehide', save);

  // A page with submitted values is newer than the draft, which was saved when they were typed.
  if (!offered || isUnsaved || isSame(offered.values, shown) || isActivated(offered)) {
    offered = undefined;
    return save();
  }

  const offer = document.getElementById('draft');
  const time = new Date(offered.at).toLocaleString(document.documentElement.lang);
  offer.querySelector('[data-time]').textContent = time;
  offer.hidden = false;

  function decide() {
    offered = undefined;
    offer.hidden = true;
    save();
  }
  offer.querySelector('[data-discard]').addEventListener('click', decide);
  offer.querySelector('[data-restore]').addEventListener('click', () => {
    const { values, base: from } = offered;
    for (const name of NAMES) {
      const control = form.elements.namedItem(name);
      if (control.type === 'checkbox') control.checked = values[name];
      else control.value = values[name];
    }
    base.value = from;
    setScript(values.script);
    decide();
  });
}
