export type Cell = string | number | boolean | null | undefined;

/** Characters at which a spreadsheet begins to evaluate a cell as a formula. */
const FORMULA = /^[\s]*[=+\-@＝＋－＠]|^[\t\r]/;

/**
 * Returns a cell of a CSV file (RFC 4180). Text that a spreadsheet would evaluate gets an apostrophe in front, as OWASP
 * recommends: a user's name must not run a formula on an administrator's computer.
 */
function cellOf(value: Cell): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;
