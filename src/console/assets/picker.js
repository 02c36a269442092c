import { combobox } from 'console/combobox';

/**
 * Turns fields for an id into pickers by name. The visible input shows the name, and a hidden one sends the id. Text
 * that was typed without choosing is sent as it is, so that an id can still be pasted.
 */

const { find } = document.getElementById('palette').dataset;

for (const [index, field] of document.querySelectorAll('[data-pick]').entries()) {
  const input = field.querySelector('input');
  const sent = document.createElement('input');
  sent.type = 'hidden';
  sent.name = input.name;
  sent.value = input.value;
  input.removeAttribute('name');
  if (field.dataset.chosen) input.value = field.dataset.chosen;
  field.querySelector('.picker-chosen')?.remove();
  input.placeholder = 'Name, email or ID';

  const list = document.createElement('ul');
  list.id = `picker-${index}`;
  list.className = 'options';
  list.role = 'listbox';
  list.hidden = true;
  list.ariaLabel = 'Suggestions';
  const status = document.createElement('p');
  status.className = 'unseen';
  status.role = 'status';
  field.append(sent, list, status);

  input.role = 'combobox';
  input.ariaAutoComplete = 'list';
  input.ariaExpanded = 'false';
  input.setAttribute('aria-controls', list.id);

  const { close } = combobox({
    input,
    list,
    url: `${find}?type=${field.dataset.pick}`,
    status,
    choose({ id, name }) {
      input.value = name;
      sent.value = id;
      sent.dispatchEvent(new Event('change', { bubbles: true }));
    },
  });
  input.addEventListener('input', () => {
    sent.value = input.value.trim();
  });
  input.addEventListener('blur', close);
}
