export type Cell = string | number | boolean | null | undefined;

/**
 * Where a spreadsheet begins to evaluate text as a formula: at the start of a cell. Where the decimal separator is a comma,
 * spreadsheets divide lines at semicolons, so text after one is a cell too. A quotation mark before it is dropped.
 */
const FORMULA = /^(?=[\t\r])|(?<=^|[;\t\r\n])(?=(?:[^\S;\t\r\n]|")*[=+\-@＝＋－＠])/g;

/**
 * Returns a cell of a CSV file (RFC 4180). Text that a spreadsheet would evaluate gets an apostrophe in front, as OWASP
 * recommends: a user's name must not run a formula on an administrator's computer.
 */
function cellOf(value: Cell): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = typeof value === 'string' ? text.replaceAll(FORMULA, "'") : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;
