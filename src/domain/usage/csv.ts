// Tables for spreadsheets: RFC 4180.

export type CsvField = string | number | null;

/** Also in full width, and behind white space, which some spreadsheets leave out. */
const FORMULA = /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/;

/**
 * A text that begins like a formula would be run by a spreadsheet; with an apostrophe in front it is shown.
 * Names of keys, models and runs are anybody's text.
 */
function fieldText(field: CsvField): string {
  if (field === null) return '';
  if (typeof field === 'number') return String(field);
  const safe = FORMULA.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvText(rows: readonly (readonly CsvField[])[]): string {
  return rows.map((fields) => `${fields.map(fieldText).join(',')}\r\n`).join('');
}
