/**
 * The body of a request, from its bytes to values.
 *
 * 1. Strict JSON in UTF-8, nothing else: no BOM, no trailing text, no key twice, no key that reaches a prototype.
 * 2. Depth and size are judged on the text before the parser sees it: a parser that recurses can be overflowed.
 * 3. A number that a double carries becomes a number; any other keeps its digits as a {@link JsonNumber}.
 */
import { DomainError, type ErrorDetail, JsonNumber } from '@trading-automation/contracts';
import { isSafeNumber, parse } from 'lossless-json';

const JSON_DEPTH_MAX = 32;
/** Keys of one object, items of one array. */
const JSON_MEMBERS_MAX = 1_000;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws {DomainError} `malformed_json`; `validation_failed` for text that can't be stored */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  checkShape(text);
  const value = parseText(text);
  // Raw control characters are no JSON and UTF-8 holds no surrogates: only an escape brings such text in.
  if (text.includes('\\u')) refuseUnstorable(value);
  return value;
}

function malformed(code: string, message: string): DomainError {
  return new DomainError('malformed_json', undefined, [{ code, message }]);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('not_utf8', 'The body is not UTF-8.');
  }
}

function parseText(text: string): unknown {
  try {
    return parse(text, null, (digits) => (isSafeNumber(digits) ? Number(digits) : new JsonNumber(digits)));
  } catch (error) {
    // The parser's own words quote the body.
    const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    throw malformed('syntax', position === undefined ? 'Not JSON.' : `Not JSON at character ${position}.`);
  }
}

/** An object or array that the scan is inside of. */
interface Open {
  /** The keys seen; undefined in an array. */
  readonly keys: Set<string> | undefined;
  isKeyNext: boolean;
  commas: number;
}

/** Exact for JSON; for other text it may pass what the parser then refuses. */
function checkShape(text: string): void {
  const open: Open[] = [];
  for (let at = 0; at < text.length; at++) {
    const inside = open.at(-1);
    switch (text[at]) {
      case '{':
      case '[': {
        if (open.length === JSON_DEPTH_MAX)
          throw malformed('too_deep', `At most ${JSON_DEPTH_MAX} levels are taken.`);
        const isObject = text[at] === '{';
        open.push({ keys: isObject ? new Set() : undefined, isKeyNext: isObject, commas: 0 });
        break;
      }
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (inside !== undefined) countMember(inside);
        break;
      case '"': {
        const end = endOfString(text, at);
        if (inside?.isKeyNext) addKey(inside, text.slice(at, end + 1));
        at = end;
      }
    }
  }
}

function countMember(inside: Open): void {
  inside.commas++;
  inside.isKeyNext = inside.keys !== undefined;
  if (inside.commas >= JSON_MEMBERS_MAX)
    throw malformed('too_many', `At most ${JSON_MEMBERS_MAX} keys or items are taken in one place.`);
}

function addKey(inside: Open, token: string): void {
  inside.isKeyNext = false;
  const key = token.includes('\\') ? String(parseText(token)) : token.slice(1, -1);
  if (FORBIDDEN_KEYS.has(key)) throw malformed('forbidden_key', `The key ${key} is not taken.`);
  if (inside.keys?.has(key)) throw malformed('duplicate_key', 'A key stands twice in one object.');
  inside.keys?.add(key);
}

/** Index of the closing quote, or of the last character where there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length - 1;
}

/** U+0000 and lone surrogates, which neither Postgres nor UTF-8 carries, refused wherever they stand. */
function refuseUnstorable(value: unknown): void {
  const details: ErrorDetail[] = [];
  collectUnstorable(value, '', details);
  if (details.length > 0) throw new DomainError('validation_failed', undefined, details.slice(0, 100));
}

function collectUnstorable(value: unknown, field: string, details: ErrorDetail[]): void {
  const isBad = (text: string) => text.includes('\u0000') || !text.isWellFormed();
  const refuse = () =>
    details.push({
      ...(field === '' ? {} : { field }),
      code: 'invalid_text',
      message: 'U+0000 and lone surrogates are not allowed.',
    });
  if (typeof value === 'string') {
    if (isBad(value)) refuse();
  } else if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) {
    for (const [key, member] of Object.entries(value)) {
      if (isBad(key)) refuse();
      else collectUnstorable(member, field === '' ? key : `${field}.${key}`, details);
    }
  }
}
