/**
 * A list as PostgreSQL reads it from text. The driver writes lists, too, but quotes and searches every element: for a
 * thousand rows of twenty columns that takes longer than to store them.
 */

/** What stands for itself; the word NULL does not. */
const PLAIN = /^[\w.:+-]+$/;
const SPECIAL = /[\\"]/g;

/** Of texts, numbers, booleans, instants and nulls; `undefined` where anything else is among them. */
export function arrayLiteral(values: readonly unknown[]): string | undefined {
  const parts: string[] = [];
  for (const value of values) {
    const part = elementOf(value);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return `{${parts.join(',')}}`;
}

function elementOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return isPlain(value) ? value : `"${value.replace(SPECIAL, '\\$&')}"`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  return value instanceof Date ? `"${value.toISOString()}"` : undefined;
}

const isPlain = (text: string) => PLAIN.test(text) && text.toUpperCase() !== 'NULL';
