/**
 * Processes JSON as text, so that every number keeps its digits: a JavaScript number holds 15 digits, a decimal of the
 * API up to 38.
 */

/** Matches a string, a number, a literal or a punctuation mark. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[a-z]+|[{}[\]:,]/g;
const NUMBER = /^-?\d/;
const OPENING: ReadonlySet<string | undefined> = new Set(['{', '[']);
const CLOSING: ReadonlySet<string | undefined> = new Set(['}', ']']);

/** Indents JSON by two spaces, like `JSON.stringify(value, null, 2)`. @param text valid JSON */
export function indented(text: string): string {
  const tokens = text.match(TOKENS) ?? [];
  let out = '';
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  for (const [i, token] of tokens.entries()) {
    if (OPENING.has(token)) {
      depth++;
      out += token + (CLOSING.has(tokens[i + 1]) ? '' : newLine());
    } else if (CLOSING.has(token)) {
      depth--;
      out += (OPENING.has(tokens[i - 1]) ? '' : newLine()) + token;
    } else if (token === ',') out += token + newLine();
    else out += token === ':' ? ': ' : token;
  }
  return out;
}

/** Parses JSON; long numbers become strings, which the API accepts as decimals. @throws {SyntaxError} */
export function parseKeepingDigits(text: string): unknown {
  JSON.parse(text);
  return JSON.parse(text.replace(TOKENS, (token) => (isLong(token) ? `"${token}"` : token)));
}

function isLong(token: string): boolean {
  if (!NUMBER.test(token)) return false;
  const digits = token
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length > 15 && !Number.isSafeInteger(Number(token));
}

/** Returns the exact text of the value of a member; undefined if the member is missing. @param text a JSON object */
export function memberOf(text: string, name: string): string | undefined {
  let depth = 0;
  let from: number | undefined;
  let key = '';
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const endsMember = (token === ',' && depth === 1) || (token === '}' && depth === 1);
    if (endsMember && from !== undefined) return text.slice(from, index).trim();
    if (token === ':' && depth === 1 && key === JSON.stringify(name)) from = index + 1;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    key = token;
  }
  return undefined;
}
