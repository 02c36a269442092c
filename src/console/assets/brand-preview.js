/** Shows the values of the brand form in the preview frames while they are edited. */

/** Time without an input before the preview follows. */
const PAUSE_MS = 300;

const section = document.querySelector('[data-preview]');
const form = section.querySelector('form');

function send(frame) {
  const sender = document.createElement('form');
  sender.method = 'post';
  sender.target = frame.name;
  sender.action = `${section.dataset.preview}?scheme=${frame.name.slice('preview-'.length)}`;
  sender.hidden = true;
  for (const [name, value] of new FormData(form)) {
    const input = document.createElement('textarea');
    input.name = name;
    input.value = value;
    sender.append(input);
  }
  document.body.append(sender);
  sender.submit();
  sender.remove();
}

let timer;
form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => document.querySelectorAll('iframe[name^="preview-"]').forEach(send), PAUSE_MS);
});
