import { ServiceError } from '../../errors.ts';
import { csrfField, type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest, Needs, Page, Redirect, RefusedForm, Route } from '../route.ts';
import { action as actionRoute } from '../route.ts';
import { formPage } from './form-parts.ts';
import { countOf, note } from './parts.ts';

/** An action on several rows of a list, which are ticked. It asks for confirmation. */
export interface BulkAction {
  /** Id of the form. */
  id: string;
  /** Path that the form posts to. */
  path: string;
  list: { path: string; label: string };
  /** Label of the button below the list: "Suspend selected". */
  label: string;
  /** Noun of a row, and what happens to all of them: "user", "suspended". */
  noun: string;
  done: string;
  /** Title of the confirmation, for a count such as "3 users". */
  title(count: string): string;
  warning: string;
  /** The operation that it performs for each row. */
  needs: Needs;
  /** Performs it for one row. */
  run(request: ConsoleRequest, id: string): Promise<unknown>;
}

/** More rows than a page has. */
const MOST = 100;

/** The form below a list, for those who may submit it. Its boxes are in the rows. */
export const bulkForm = (request: ConsoleRequest, { id, path, label }: BulkAction): Html | false =>
  !request.missingRole(path, 'submit') &&
  html`<form id="${id}" class="bulk" method="post" action="${request.to(path)}">${csrfField(request.csrf)}<label class="box" hidden data-select-all><input type="checkbox"> <span>Select all</span></label><button class="button compact">${label}</button></form>`;

const idsIn = ({ submitted }: ConsoleRequest): string[] => [...new Set(submitted.getAll('id'))].slice(0, MOST);

function confirm(action: BulkAction, request: ConsoleRequest, refused?: RefusedForm): Page {
  const ids = idsIn(request);
  const { title, noun, warning, list } = action;
  if (ids.length === 0)
    return { title: action.label, back: list, content: note('info', `Select at least one ${noun} in the list.`) };
  const chosen = ids.map((id) => html`<input type="hidden" name="id" value="${id}">`);
  return formPage(request, refused, {
    title: `${title(countOf(ids.length, noun))}?`,
    back: list,
    content: html`<p>${warning}</p>${chosen}<input type="hidden" name="confirmed" value="true">`,
    submit: title(countOf(ids.length, noun)),
    kind: 'danger',
  });
}

async function perform(action: BulkAction, request: ConsoleRequest): Promise<Redirect | Page> {
  if (request.submitted.get('confirmed') !== 'true') return confirm(action, request);
  const ids = idsIn(request);
  const refusals = new Map<string, number>();
  // One after the other: each is an operation of its own, with its audit entry and its events.
  for (const id of ids) {
    try {
      await action.run(request, id);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refusals.set(error.message, (refusals.get(error.message) ?? 0) + 1);
    }
  }
  const failed = [...refusals].map(([message, count]) => `${countOf(count, action.noun)} not: ${message}`);
  const done = ids.length - [...refusals.values()].reduce((sum, count) => sum + count, 0);
  const text = [`${countOf(done, action.noun)} ${action.done}.`, ...failed].join(' ');
  return { to: action.list.path, flash: { text } };
}

export const bulkRoute = (action: BulkAction): Route =>
  actionRoute<string>(
    action.path,
    (request: ConsoleRequest<never>, refused) => confirm(action, request, refused),
    (request: ConsoleRequest<never>) => perform(action, request),
    action.needs,
  );
