import { type ErrorCode, errorCodes, messageOf, statusOf } from '../../src/errors.ts';
import type { Operation } from '../../src/http/operations/operation.ts';
import { operations } from '../../src/management/index.ts';
import { otherOAuthErrors, tokenErrors } from './oauth-errors.ts';
import { table } from './table.ts';

const INTRODUCTION = `# Errors

Find the \`code\` of a response here and what to do about it. Programs should compare the code and the status, which never
change; messages are for people and may improve. \`npm run cli -- update-docs\` writes this page from the error catalog.

## Management API

The body is \`{ code, message, data?, details? }\`. \`data\` has facts for programs; \`details\` has one line per invalid field
with its JSON path. A status of 500 comes with a \`requestId\`, which is also in the log. The console, the Experience API and
the account page use the same codes.`;

const OAUTH = `## Token endpoint

The body is \`{ error, error_description, code, message }\`, with \`code\` = \`oidc.<error>\`. \`error_description\` names the
real reason: [impersonation.md](impersonation.md) lists those of an exchange.`;

const OTHER_OAUTH = `## Other endpoints below /oidc

They use the errors above, and these. A status of 303 means that the browser returns to the application's redirect URI with
\`error\` and \`error_description\` in its query.`;

/** Returns the first sentence of a message, which says what happened, and the rest, which says what to do. */
function split(message: string): [what: string, remedy: string] {
  const end = message.indexOf('. ') + 1;
  return end === 0 ? [message, ''] : [message.slice(0, end), message.slice(end + 1)];
}

/** Returns the statuses of a code: its usual one, then those that single operations use instead. */
function statusesOf(code: ErrorCode, list: readonly Operation[]): number[] {
  const own = list.flatMap(({ errors = [] }) =>
    errors.flatMap((error) => (typeof error !== 'string' && error[0] === code ? [error[1]] : [])),
  );
  return [...new Set([statusOf(code), ...own])];
}

/** Returns the text of `docs/errors.md`. */
export function errorPage(): string {
  const rows = errorCodes.map((code) => [
    `\`${code}\``,
    statusesOf(code, operations).join(', '),
    ...split(messageOf(code)),
  ]);
  const oauth = (list: typeof tokenErrors) =>
    table(
      ['`error`', 'Status', 'What happened', 'What to do'],
      list.map(({ error, statuses, when, remedy }) => [`\`${error}\``, statuses.join(', '), when, remedy]),
    );
  return `${[
    INTRODUCTION,
    table(['`code`', 'Status', 'What happened', 'What to do'], rows),
    OAUTH,
    oauth(tokenErrors),
    OTHER_OAUTH,
    oauth(otherOAuthErrors),
  ].join('\n\n')}\n`;
}
