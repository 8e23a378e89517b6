import type { Column } from './columns';

/** The first characters of a cell that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]\d+(?:\.\d+)?$/;

/** Formats one record of a CSV file (RFC 4180). */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = String(value);
  // The spreadsheet does not show the apostrophe.
  const text = FORMULA.test(plain) && !NUMBER.test(plain) ? `'${plain}` : plain;
  // Some spreadsheets separate cells by semicolons or tabs, too, and would find a formula behind one.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reads all rows and returns the file. `onProgress` gets the number of rows so far. */
export async function csvOf<T>(
  columns: readonly Column<T>[],
  rows: AsyncIterable<T>,
  onProgress: (rows: number) => void,
): Promise<Blob> {
  const parts = [csvLine(columns.map(({ id }) => id))];
  for await (const row of rows) {
    parts.push(csvLine(columns.map(({ csv }) => csv(row))));
    if (parts.length % 100 === 0) onProgress(parts.length - 1);
  }
  return new Blob(parts, { type: 'text/csv;charset=utf-8' });
}

/** Offers a file to the reader. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
