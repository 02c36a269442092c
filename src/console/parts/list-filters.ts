import { type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest } from '../route.ts';
import type { Names, ReferencedIds } from './names.ts';
import { pickFilter } from './picker.ts';
import { timeRangeIn } from './time-range.ts';

/** A filter by a user or an application: its parameter in the URL and in the Management API, and its label. */
export type PickedFilter = readonly [name: string, label: string, type: 'user' | 'application'];

export interface ListFilters {
  /** Parameters of the Management API. */
  query: Record<string, string>;
  isNarrowed: boolean;
  /** The ids in the filters, to read their names with those of the list. */
  ids: ReferencedIds;
  picked(names: Names): Html[];
  /** The inputs for text and time. */
  text: Html;
  time: Html;
}

const LONGEST_TEXT = 128;

/** Reads the filters in the URL that long lists have in common: users, applications, text and time. */
export function listFilters(request: ConsoleRequest, filters: readonly PickedFilter[]): ListFilters {
  const given = request.query;
  const values = filters.map(([name, label, type]) => ({ name, label, type, value: given.get(name)?.trim() ?? '' }));
  const text = given.get('q')?.trim().slice(0, LONGEST_TEXT) ?? '';
  const { filter, inputs } = timeRangeIn(request);
  const query = {
    ...Object.fromEntries(values.flatMap(({ name, value }) => (value ? [[name, value] as const] : []))),
    ...(text && { q: text }),
    ...(filter.since && { start_time: filter.since }),
    ...(filter.until && { end_time: filter.until }),
  };
  const idsOf = (type: string) => values.flatMap((one) => (one.type === type && one.value ? [one.value] : []));
  return {
    query,
    isNarrowed: Object.keys(query).length > 0,
    ids: { users: idsOf('user'), applications: idsOf('application') },
    picked: ({ users, applications }) =>
      values.map((one) => {
        const names = one.type === 'user' ? users : applications;
        return pickFilter({ ...one, chosen: names.get(one.value) });
      }),
    text: html`<label>Text<input type="search" name="q" value="${text}" autocomplete="off" spellcheck="false" maxlength="${LONGEST_TEXT}"></label>`,
    time: inputs,
  };
}

/** Says how far a list is searched for what no index finds. */
export const searchNote = html`<p class="quiet">Only the newest 10,000 entries that match the other filters are searched.</p>`;

export const textNote = ({ query }: ListFilters): Html | false => query.q !== undefined && searchNote;
