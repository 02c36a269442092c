/** Enhancements only: every page except those for passkeys works without this script. */

/** Shows a button as busy only after a wait that users notice. */
const BUSY_AFTER_MS = 150;

for (const form of document.forms) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) {
      event.preventDefault();
      return;
    }
    isSent = true;
    const button = event.submitter ?? form.querySelector('button');
    setTimeout(() => button?.setAttribute('aria-busy', 'true'), BUSY_AFTER_MS);
  });
  // The browser may restore the page from its cache in the state in which it was left.
  addEventListener('pageshow', () => {
    isSent = false;
    for (const button of form.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
  });
}

/** Shows the error of an empty field next to it. The browser would show its own text over the page. */
addEventListener(
  'invalid',
  (event) => {
    const input = event.target;
    const { empty } = input.dataset;
    if (!empty || !input.validity.valueMissing) return;
    event.preventDefault();
    const id = `${input.name}-fault`;
    const fault = document.getElementById(id) ?? Object.assign(document.createElement('p'), { id, className: 'fault' });
    fault.textContent = empty;
    (input.closest('.secret') ?? input).before(fault);
    const described = (input.getAttribute('aria-describedby') ?? '').split(' ').filter((one) => one && one !== id);
    input.setAttribute('aria-describedby', [...described, id].join(' '));
    input.setAttribute('aria-invalid', 'true');
    document.querySelector('[aria-invalid="true"]').focus();
  },
  true,
);

for (const button of document.querySelectorAll('[data-reveal]')) {
  const input = document.getElementById(button.dataset.reveal);
  button.hidden = false;
  button.addEventListener('click', () => {
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    button.textContent = isShown ? button.dataset.show : button.dataset.hide;
    input.focus();
  });
}

/** Disables the resend button and counts down until a new code may be sent. */
for (const button of document.querySelectorAll('[data-wait]')) {
  const label = button.textContent;
  const readyAt = Date.now() + Number(button.dataset.wait) * 1000;
  const tick = () => {
    const left = Math.ceil((readyAt - Date.now()) / 1000);
    button.disabled = left > 0;
    button.textContent = left > 0 ? button.dataset.waiting.replace('{seconds}', String(left)) : label;
    if (left > 0) setTimeout(tick, 1000);
  };
  tick();
}

/** Sends a code by itself when its last digit is there. Pasted spaces do not count. A corrected code is sent again. */
for (const input of document.querySelectorAll('[data-digits]')) {
  let sent = '';
  input.addEventListener('input', () => {
    const digits = input.value.replaceAll(/\s/g, '');
    if (digits === sent || !/^\d+$/.test(digits) || digits.length !== Number(input.dataset.digits)) return;
    sent = digits;
    input.form.requestSubmit();
  });
}

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
  });
}

/** @param {HTMLFormElement} form */
async function usePasskey(form) {
  const options = JSON.parse(form.dataset.passkey);
  const isNew = form.dataset.kind === 'create';
  const credential = isNew
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  form.elements.namedItem('response').value = JSON.stringify(credential);
  HTMLFormElement.prototype.submit.call(form);
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const failed = form.querySelector('[data-failed]');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    failed.hidden = true;
    try {
      await usePasskey(form);
    } catch {
      failed.hidden = false;
      dispatchEvent(new Event('pageshow'));
    }
  });
}

document.querySelector('[aria-invalid="true"]')?.focus();
