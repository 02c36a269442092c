/** Warns before a form with unsaved changes is left. */

/** The option that a select shows at first. */
const firstOption = ({ options }) =>
  Math.max(
    0,
    [...options].findIndex(({ defaultSelected }) => defaultSelected),
  );

function isChanged(control) {
  if (control instanceof HTMLSelectElement) return control.selectedIndex !== firstOption(control);
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (!(control instanceof HTMLInputElement)) return false;
  return control.type === 'checkbox'
    ? control.checked !== control.defaultChecked
    : control.value !== control.defaultValue;
}

/** True if the form differs from what is saved. The server marks a form that it shows with values that are not saved. */
const isUnsaved = (form) =>
  form.method === 'post' && (form.dataset.unsaved !== undefined || [...form.elements].some(isChanged));

const unsavedForms = () => [...document.forms].filter(isUnsaved);

/** True from the moment that the user sends a form or decides to leave. */
let isLeaving = false;
addEventListener('pageshow', () => {
  isLeaving = false;
});

// The browser's own question, for every way to leave: closing the tab, reloading, going back.
addEventListener('beforeunload', (event) => {
  if (!isLeaving && unsavedForms().length > 0) event.preventDefault();
});

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Asks in a dialog of the page. */
function askToLeave([form], leave) {
  const title = element('h2', { id: 'leave-title' }, 'Leave without saving?');
  const text = form.dataset.leave ?? 'Your changes on this page will be lost.';
  const stay = element('button', { className: 'button primary', type: 'button', autofocus: true }, 'Stay on this page');
  const go = element('button', { className: 'button danger', type: 'button' }, 'Leave page');
  const buttons = element('div', { className: 'buttons' }, stay, go);
  const dialog = element('dialog', { className: 'leave' }, title, element('p', {}, text), buttons);
  dialog.setAttribute('aria-labelledby', title.id);
  stay.addEventListener('click', () => dialog.close());
  go.addEventListener('click', () => {
    isLeaving = true;
    dialog.close();
    leave();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** True if the link opens in this tab and leaves the page. */
const isLeavingLink = (link, { button, ctrlKey, metaKey, shiftKey, altKey }) =>
  button === 0 &&
  !(ctrlKey || metaKey || shiftKey || altKey) &&
  !link.target &&
  !link.hasAttribute('download') &&
  link.href.split('#')[0] !== location.href.split('#')[0];

addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  const unsaved = link && isLeavingLink(link, event) ? unsavedForms() : [];
  if (isLeaving || unsaved.length === 0) return;
  event.preventDefault();
  askToLeave(unsaved, () => location.assign(link.href));
});

// Before the listener that sends each form once, so that a form can be sent after the user decided to stay.
addEventListener(
  'submit',
  (event) => {
    const { target, submitter } = event;
    const others = unsavedForms().filter((form) => form !== target);
    if (isLeaving || others.length === 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    askToLeave(others, () => target.requestSubmit(submitter));
  },
  true,
);

addEventListener('submit', ({ defaultPrevented }) => {
  if (!defaultPrevented) isLeaving = true;
});
