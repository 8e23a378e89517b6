import { Exact } from '../../../format/decimals';

const BYTES_MAX = 16 * 1024;
const KEY = /^[a-z0-9._-]{1,64}$/;

/** Returns what is wrong with the key of a setting, and how to fix it. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'Enter a key, such as dashboard.start_page.';
  if (!KEY.test(key) || key === '.' || key === '..')
    return 'A key has 1 to 64 characters of a–z, 0–9, period, underscore and hyphen.';
  return undefined;
}

/** Returns what is wrong with a JSON text, and how to fix it. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Enter JSON, such as "dark", 25 or {"rows": 50}.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`;
  }
  const inexact = inexactNumberIn(text);
  if (inexact !== undefined) return `A browser would round ${inexact}. Write it as a string: "${inexact}".`;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes > BYTES_MAX ? `The value has ${bytes} bytes; at most ${BYTES_MAX} are stored.` : undefined;
}

/** Returns the first number with more digits than a double holds. */
function inexactNumberIn(json: string): string | undefined {
  const numbers = json.replace(/"(?:\\.|[^"\\])*"/g, '""').match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
  return numbers.find((text) => !new Exact(text).eq(Number(text)));
}
