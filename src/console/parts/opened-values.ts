import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { type Html, html } from '../../pages/html.ts';
import type { ApiRoute } from '../api.ts';
import type { ConsoleRequest, Params } from '../route.ts';
import { authorName } from './names.ts';

/**
 * Notices that something was changed while its form was open. The form has a digest of each value that it was opened with.
 * When it is submitted, a value that only someone else changed is kept, and one that both changed is shown next to the other.
 */

/** The form field with the digests: `name=…&phone=…`. */
const OPENED = 'opened';

const DIGEST_LENGTH = 12;

/** More fields than a form has. Each is looked up in what was submitted, which can have very many. */
const MOST_FIELDS = 100;

/** Browsers submit line breaks as CR LF, and forms trim what is typed. */
const valuesOf = (texts: URLSearchParams, name: string): string[] =>
  texts
    .getAll(name)
    .map((text) => text.replaceAll('\r\n', '\n').trim())
    .filter((text) => text !== '')
    .sort();

const digestOf = (texts: URLSearchParams, name: string): string =>
  createHash('sha256')
    .update(JSON.stringify(valuesOf(texts, name)))
    .digest('base64url')
    .slice(0, DIGEST_LENGTH);

const digestsOf = (names: readonly string[], stored: URLSearchParams): string =>
  new URLSearchParams(names.map((name): [string, string] => [name, digestOf(stored, name)])).toString();

/** A hidden field with the digests of the stored values. A refused form keeps those that it was opened with. */
export const openedField = (names: readonly string[], stored: URLSearchParams, refused?: URLSearchParams): Html =>
  html`<input type="hidden" name="${OPENED}" value="${refused?.get(OPENED) ?? digestsOf(names, stored)}">`;

/** Longest value of someone else that is shown next to a field. */
const MAX_SHOWN = 200;

/** Number of audit entries that are searched for the author of a change. */
const ENTRIES_READ = '20';

/** Returns who changed the entity of this page last with this operation. Undefined if the audit log does not say. */
async function lastAuthor(request: ConsoleRequest, route: ApiRoute): Promise<string | undefined> {
  const query = { logKey: `Management.${route}`, result: 'Success', page: '1', page_size: ENTRIES_READ };
  const { value: entries } = await request.perform('GET /logs', { query });
  const own = new Set(Object.values(request.params as Params));
  const entry = entries.find(({ payload: { details } }) =>
    Object.values((details.params ?? {}) as Params).every((id) => own.has(id)),
  );
  const id = entry && (entry.payload.actorId ?? entry.payload.applicationId);
  return id === undefined ? undefined : authorName(request, id);
}

function conflictText(author: string, stored: URLSearchParams, name: string): string {
  const [value = '', ...others] = valuesOf(stored, name);
  const is =
    value === '' ? 'It is empty now. ' : others.length === 0 ? `It is “${value.slice(0, MAX_SHOWN)}” now. ` : '';
  return `${author} changed this while you were editing. ${is}Save again to replace it with your value.`;
}

/**
 * Gives the submitted form the stored values that were changed while it was open, unless the form changes them too. The form
 * then counts as opened with the stored values, so submitting it again replaces them.
 *
 * @param route the operation that changes the entity
 * @throws 422 `entity.invalid_input` with a fault for each field that both changed
 */
export async function keepOthersChanges(
  request: ConsoleRequest,
  route: ApiRoute,
  stored: URLSearchParams,
): Promise<void> {
  const { submitted } = request;
  const opened = new URLSearchParams(submitted.get(OPENED) ?? '');
  const both: string[] = [];
  for (const [name, before] of [...opened].slice(0, MOST_FIELDS)) {
    const [now, mine] = [digestOf(stored, name), digestOf(submitted, name)];
    if (now === before || now === mine) continue;
    if (mine !== before) {
      both.push(name);
      continue;
    }
    submitted.delete(name);
    for (const value of stored.getAll(name)) submitted.append(name, value);
  }
  if (both.length === 0) return;
  submitted.set(OPENED, digestsOf([...opened.keys()], stored));
  const author = (await lastAuthor(request, route)) ?? 'Someone';
  const faults = Object.fromEntries(both.map((name) => [name, conflictText(author, stored, name)]));
  const message = 'This was changed while you were editing.';
  throw new ServiceError('entity.invalid_input', { message, data: { faults } });
}
