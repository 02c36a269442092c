import { combobox } from 'console/combobox';

/** The command palette: finds pages, actions and everything of the tenant, and opens it. */

const palette = document.getElementById('palette');
const button = document.getElementById('palette-button');
const input = document.getElementById('palette-text');

const { close, load } = combobox({
  input,
  list: document.getElementById('palette-list'),
  url: palette.dataset.find,
  status: palette.querySelector('[role="status"]'),
  isEager: true,
  choose({ href }) {
    palette.close();
    location.assign(href);
  },
});

function open() {
  if (palette.open) return;
  document.getElementById('menu').hidePopover?.();
  input.value = '';
  palette.showModal();
  void load();
}

button.hidden = false;
button.addEventListener('click', open);
palette.addEventListener('close', close);
// A click on the backdrop.
palette.addEventListener('click', (event) => {
  if (event.target === palette) palette.close();
});
addEventListener('keydown', (event) => {
  // On a Mac the script editor deletes to the end of the line with Ctrl+K.
  if (event.defaultPrevented || event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  if (event.altKey || event.shiftKey) return;
  event.preventDefault();
  open();
});
