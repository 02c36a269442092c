/** Shows the reader's time zone everywhere. The server, which does not know it, writes UTC. */

const zone = new Intl.DateTimeFormat(document.documentElement.lang, { timeZoneName: 'short' })
  .formatToParts()
  .find(({ type }) => type === 'timeZoneName').value;

const two = (number) => String(number).padStart(2, '0');

/** `2026-11-22T04:21` in the reader's time zone. */
function localValue(date) {
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

for (const input of document.querySelectorAll('input[type="datetime-local"]')) {
  if (input.value) input.value = localValue(new Date(`${input.value}Z`));
  for (const label of input.labels) label.firstChild.data = label.firstChild.data.replace('(UTC)', `(${zone})`);
}

// The form still sends UTC.
addEventListener('formdata', ({ target, formData }) => {
  for (const { type, name, value } of target.elements)
    if (type === 'datetime-local' && value) formData.set(name, new Date(value).toISOString().slice(0, 16));
});

// Options contain only text.
for (const option of document.querySelectorAll('option'))
  option.text = option.text.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/, (_, day, time) => {
    const date = new Date(`${day}T${time}Z`);
    return `${date.toLocaleString(document.documentElement.lang)} ${zone}`;
  });
