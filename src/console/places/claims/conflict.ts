import { applyPatch, structuredPatch } from 'diff';
import { type Html, html } from '../../../pages/html.ts';
import { authorName } from '../../parts/names.ts';
import { note, section, when } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import { changesOf, MOST_CHANGES } from './diff.ts';
import { baseOf, type Draft, draftOf, uploadOf } from './draft.ts';
import type { TokenKind } from './kinds.ts';
import { readVersion, readVersions, type ScriptValue, type Version } from './script-api.ts';

/** The active version is no longer the one with which the editor was opened. */
export interface Conflict {
  /** The version that was active when the editor was opened. */
  opened: Version | undefined;
  /** The version that is active now. */
  active: Version | undefined;
}

/** Compares the active version with that of the draft. */
export async function conflictOf(
  request: ConsoleRequest,
  kind: TokenKind,
  draft: Draft,
  active: Version | undefined,
): Promise<Conflict | undefined> {
  if (draft.base === baseOf(active)) return undefined;
  const line = (await readVersions(request, kind)).find(({ number }) => String(number) === draft.base);
  return { opened: line && (await readVersion(request, kind, line.number)), active };
}

/** Returns the draft with the changes of the active version. Undefined if both changed the same lines. */
export function mergedDraft(kind: TokenKind, draft: Draft, { opened, active }: Conflict): Draft | undefined {
  if (!opened || !active) return undefined;
  const [before, now] = [draftOf(kind, opened.value), draftOf(kind, active.value)];
  const changes = structuredPatch('', '', before.script, draft.script, '', '', { maxEditLength: MOST_CHANGES });
  const script = changes && applyPatch(now.script, changes);
  if (!script) return undefined;
  const newer = <Name extends keyof Draft>(name: Name) => (draft[name] === before[name] ? now[name] : draft[name]);
  return {
    script,
    tokenSample: newer('tokenSample'),
    contextSample: newer('contextSample'),
    blockIssuanceOnError: newer('blockIssuanceOnError'),
    recordInputs: newer('recordInputs'),
    run: draft.run,
    base: baseOf(active),
  };
}

/** Says what happened since the editor was opened. */
export async function conflictNote(request: ConsoleRequest, { opened, active }: Conflict): Promise<Html> {
  const since = opened ? `after you opened version ${opened.number}` : 'after you opened the editor';
  if (!active) return note('warn', `The script was deactivated ${since}.`);
  const author = await authorName(request, active.authorId);
  return note(
    'warn',
    html`<p>Version ${active.number}, created by ${author} ${when(active.createdAt, request.now)}, was activated ${since}. Your script would replace it.</p>`,
  );
}

/** The changes of both sides since the editor was opened, next to each other. */
export function bothChanges(kind: TokenKind, draft: Draft, { opened, active }: Conflict): Html | false {
  if (!active) return false;
  const { environmentVariables } = opened?.value ?? {};
  const mine: ScriptValue = {
    ...uploadOf(kind, draft, opened?.value),
    ...(environmentVariables && { environmentVariables }),
  };
  const since = opened ? `since version ${opened.number}` : 'since you opened the editor';
  return html`<div class="beside">${section(`Changes in version ${active.number}`, html`<div class="changes">${changesOf(opened?.value, active.value)}</div>`, { lead: `What was changed ${since}.` })}
${section('Your changes', html`<div class="changes">${changesOf(opened?.value, mine)}</div>`, { lead: `What you changed ${since}.` })}</div>`;
}
