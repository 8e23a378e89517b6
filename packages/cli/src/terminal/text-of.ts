/**
 * Formats values of responses as text.
 *
 * 1. A decimal is shown with all its digits.
 * 2. Names and messages are untrusted: control characters are escaped, so that the terminal does not execute them.
 */

/** A record of a response. */
export type Row = Readonly<Record<string, unknown>>;

/** The text of an empty cell. */
export const EMPTY_CELL = '-';

/** Returns the value at a path such as `fee.amount`. */
export function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Row)[name];
  }
  return value;
}

/** Formats a value on one line. Null and undefined become an empty string. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return safeLine(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.map(textOf).join(',');
  return safeLine(JSON.stringify(value));
}

/** Escapes the control characters of a line. */
export function safeLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches them
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escapeOf);
}

/** Escapes the control characters of several lines and keeps the line breaks. */
export function safeText(text: string): string {
  return text.split('\n').map(safeLine).join('\n');
}

function escapeOf(character: string): string {
  const shortEscape = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
  return shortEscape ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Flattens a record to pairs of path and text. */
export function linesOf(row: Row, prefix = ''): [name: string, text: string][] {
  return Object.entries(row).flatMap(([name, value]): [string, string][] => {
    const path = prefix + name;
    const isNestedRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isNestedRecord && Object.keys(value).length > 0) return linesOf(value as Row, `${path}.`);
    return [[safeLine(path), isNestedRecord ? '' : textOf(value)]];
  });
}
