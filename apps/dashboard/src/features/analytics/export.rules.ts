/** The figures as CSV files, with exact values. */
import { csvLine } from '../../ui/data-table/csv';

/** Returns a file with the members of the first row as columns; only the header names without rows. */
export function fileOf<Row extends object>(columns: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map((name): unknown => Object(row)[name]));
  return [columns, ...lines].map((line) => csvLine(line)).join('');
}

/** Returns the single figures, one a line: name and value. */
export function figuresFile(figures: object): string {
  const lines = Object.entries(figures).flatMap(([name, value]) => linesOf(name, value));
  return [['figure', 'value'], ...lines].map(csvLine).join('');
}

function linesOf(name: string, value: unknown): [string, unknown][] {
  // Lists have files of their own.
  if (Array.isArray(value)) return [];
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([member, inner]) => linesOf(`${name}.${member}`, inner));
  return [[name, value]];
}
