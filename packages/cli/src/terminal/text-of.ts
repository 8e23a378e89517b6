/**
 * What a value of an answer looks like as text.
 *
 * 1. A decimal is shown as it came, digit for digit.
 * 2. Names and messages are other people's: a control character among them is shown as its escape and never reaches
 *    the terminal, which would obey it.
 */

/** A record of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** What stands where there is nothing. */
export const NOTHING = '-';

/** The value at a path like `fee.amount`. */
export function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Row)[name];
  }
  return value;
}

/** One line. Nothing at all is the empty text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return safeLine(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.map(textOf).join(',');
  return safeLine(JSON.stringify(value));
}

/** A text without a character that a terminal obeys. */
export function safeLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escapeOf);
}

/** The same, and its lines stay lines. */
export function safeText(text: string): string {
  return text.split('\n').map(safeLine).join('\n');
}

function escapeOf(character: string): string {
  const named = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
  return named ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Members of a record as lines of `name` and text; what is within another by its path. */
export function linesOf(row: Row, prefix = ''): [name: string, text: string][] {
  return Object.entries(row).flatMap(([name, value]): [string, string][] => {
    const path = prefix + name;
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isTable && Object.keys(value).length > 0) return linesOf(value as Row, `${path}.`);
    return [[safeLine(path), isTable ? '' : textOf(value)]];
  });
}
