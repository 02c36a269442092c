import {
  autocompletion,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  EditorView,
  HighlightStyle,
  highlightActiveLine,
  highlightSelectionMatches,
  history,
  historyKeymap,
  indentOnInput,
  javascript,
  javascriptLanguage,
  keymap,
  lineNumbers,
  linter,
  lintGutter,
  lintKeymap,
  searchKeymap,
  syntaxHighlighting,
  tags,
} from 'codemirror';
import { completeFrom } from 'console/script-completion';
import { keepDraft } from 'console/script-draft';

/** Replaces the script's textarea with an editor, and runs tests without reloading the page. */

const CHECK_AFTER_MS = 500;
const BUSY_AFTER_MS = 150;

const form = document.querySelector('[data-workbench]');
const place = form.querySelector('[data-types]');
const field = form.querySelector('#script');

/** Errors of `fetch` have a text for developers. */
const unreachable = () => {
  throw new Error('The service can’t be reached. Check your connection, then try again.');
};

async function send(path, body) {
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(body) }).catch(unreachable);
  if (response.status === 401) throw new Error('Your session has ended. Sign in again in another tab, then try again.');
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Sends the form's fields to a path that saves nothing. After a new sign-in the response is the page with a new token. */
async function post(path, fieldsOf) {
  const { csrf } = form.elements;
  const fresh = await send(path, fieldsOf());
  const token = fresh.querySelector('[data-workbench] [name="csrf"]')?.value ?? csrf.value;
  if (token === csrf.value) return fresh;
  csrf.value = token;
  return send(path, fieldsOf());
}

/** Replaces the element's content with the server's. Returns false if the response has no such element. */
function replaceContent(id, fresh) {
  const part = fresh.getElementById(id);
  if (part) document.getElementById(id).replaceChildren(...part.childNodes);
  return part !== null;
}

/** Returns the compiler's error as a diagnostic, from its position to the end of the word. */
function diagnosticsOf(state) {
  const fault = document.getElementById('script-fault');
  if (!fault) return [];
  const { line = '1', column = '1', message } = fault.dataset;
  const { from, to } = state.doc.line(Math.min(Number(line) || 1, state.doc.lines));
  const at = Math.min(from + (Number(column) || 1) - 1, to);
  const end = state.wordAt(at)?.to ?? Math.min(at + 1, to);
  return [{ from: at, to: end, severity: 'error', message }];
}

const compile = linter(
  async ({ state }) => {
    const script = state.doc.toString();
    const fieldsOf = () => ({ csrf: form.elements.csrf.value, script });
    const fresh = await post(form.dataset.workbench, fieldsOf).catch(() => undefined);
    // The script has changed since: the next check covers it.
    if (!fresh || field.value !== script) return [];
    replaceContent('compiled', fresh);
    return diagnosticsOf(state);
  },
  { delay: CHECK_AFTER_MS },
);

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-value)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
]);

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklch, var(--muted) 8%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklch, var(--accent) 28%, transparent)',
  },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { color: 'var(--text)', background: 'var(--sunken)' },
  '.cm-completionDetail': { color: 'var(--muted)' },
});

/**
 * Replaces a selection without the browser, which would copy the style of the replaced text into a style attribute. The
 * page's Content-Security-Policy forbids those.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data: text } = event;
    if (event.inputType !== 'insertText' || event.isComposing || text === null) return false;
    // CodeMirror reads the selection at this event, which the browser may dispatch later than it inserts text.
    document.dispatchEvent(new Event('selectionchange'));
    const { from, to, empty } = view.state.selection.main;
    if (empty) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

// In a shadow root CodeMirror uses adopted style sheets, which the Content-Security-Policy allows. In the document it would
// add style elements.
const root = place.attachShadow({ mode: 'open' });
root.append(document.createElement('slot'));
const editor = new EditorView({
  doc: field.value,
  root,
  parent: root,
  extensions: [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    javascript(),
    javascriptLanguage.data.of({ autocomplete: completeFrom(JSON.parse(place.dataset.types)) }),
    autocompletion(),
    compile,
    syntaxHighlighting(colors),
    theme,
    EditorView.lineWrapping,
    // With a tab index, because accessibility checkers do not count `contenteditable` as focusable.
    EditorView.contentAttributes.of({ 'aria-label': 'Script', spellcheck: 'false', tabindex: '0' }),
    typeOver,
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (!docChanged) return;
      field.value = state.doc.toString();
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }),
    // Tab is not bound, so that keyboard users can leave the editor.
    keymap.of([
      { key: 'Mod-Enter', run: () => !form.requestSubmit(form.querySelector('[data-test]')) },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
    ]),
  ],
});
field.hidden = true;
place.classList.add('ready');
form.querySelector('label[for="script"]').addEventListener('click', () => editor.focus());

keepDraft(form, (script) => {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: script } });
  editor.focus();
});

let isTesting = false;

form.addEventListener('submit', async (event) => {
  const button = event.submitter;
  if (!button?.matches('[data-test]')) return;
  event.preventDefault();
  event.stopPropagation();
  if (isTesting) return;
  isTesting = true;
  const outcome = document.getElementById('outcome');
  const waiting = setTimeout(() => button.setAttribute('aria-busy', 'true'), BUSY_AFTER_MS);
  try {
    const fresh = await post(form.action, () => new FormData(form));
    // An error is shown outside of the outcome, so the whole page is submitted.
    if (fresh.querySelector('[aria-invalid="true"], .workbench-side > .note')) form.submit();
    else if (replaceContent('outcome', fresh)) replaceContent('compiled', fresh);
    else outcome.textContent = 'Something went wrong. Reload the page and try again.';
  } catch (error) {
    outcome.textContent = error.message;
  }
  clearTimeout(waiting);
  button.removeAttribute('aria-busy');
  outcome.scrollIntoView({ block: 'nearest' });
  isTesting = false;
});
