import { type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest } from '../route.ts';
import { choice, TIME_RANGES } from './form-parts.ts';
import { clockTime, timeZone } from './plot.ts';

/** A time range that filters a list. */
interface TimeRange {
  /** For the Management API. */
  filter: { since?: string; until?: string };
  /** For the URL of the page. */
  chosen: Record<string, string>;
  /** The inputs of the filter form. */
  inputs: Html;
}

/** An epoch time in the URL; undefined if it is missing or no time. */
const timeIn = (query: URLSearchParams, name: string): number | undefined => {
  const [text] = /^\d{1,15}$/.exec(query.get(name) ?? '') ?? [];
  return text === undefined ? undefined : Number(text);
};

/** Exact times in the URL, `since` and `until`, as a plot gives them. Undefined unless both are there and in order. */
export function exactRangeIn({ query }: ConsoleRequest): { since: number; until: number } | undefined {
  const [since, until] = [timeIn(query, 'since'), timeIn(query, 'until')];
  return since !== undefined && until !== undefined && since < until ? { since, until } : undefined;
}

export const rangeText = ({ since, until }: { since: number; until: number }): Html =>
  html`${clockTime(since, 'day')} to ${clockTime(until, 'day')} (${timeZone()})`;

/**
 * Reads the time range of a list from the URL: exact times, or a name of `TIME_RANGES`. An exact range is one more
 * choice of the select, whose times are kept by hidden fields.
 *
 * @param usual the name if the URL has none
 */
export function timeRangeIn(request: ConsoleRequest, usual: '' | '24h' = ''): TimeRange {
  const { query, now } = request;
  const exact = query.get('range') === 'exact' || !query.has('range') ? exactRangeIn(request) : undefined;
  if (exact) {
    const [since, until] = [String(exact.since), String(exact.until)];
    const options = [...TIME_RANGES, ['exact', 'Selected range']] as const;
    return {
      filter: { since, until },
      chosen: { range: 'exact', since, until },
      inputs: html`${choice('range', 'Time range', options, 'exact')}<input type="hidden" name="since" value="${since}"><input type="hidden" name="until" value="${until}"><p class="quiet">Selected: ${rangeText(exact)}</p>`,
    };
  }
  const [range, , age] = TIME_RANGES.find(([value]) => value === (query.get('range') ?? usual)) ?? TIME_RANGES[0];
  return {
    filter: age === undefined ? {} : { since: String(now - age) },
    chosen: range === usual ? {} : { range },
    inputs: choice('range', 'Time range', TIME_RANGES, range),
  };
}
