/**
 * Parses the body of a request.
 *
 * 1. Only strict JSON in UTF-8 is accepted: no BOM, no trailing text, no duplicate keys, no keys that reach a prototype.
 * 2. Depth and size are checked before parsing, because deep nesting can overflow a recursive parser.
 * 3. A number whose digits a double preserves becomes a number. Any other number becomes a {@link JsonNumber}, which has
 *    its digits.
 */
import { type DetailCode, DomainError, type ErrorDetail, JsonNumber } from '@trading-automation/contracts';
import { isSafeNumber, parse } from 'lossless-json';

const JSON_DEPTH_MAX = 32;
/** Maximum number of keys of an object and of items of an array. */
const JSON_MEMBERS_MAX = 1_000;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a body. @throws {DomainError} `malformed_json`, or `validation_failed` for a string that cannot be stored */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  checkLimits(text);
  const value = parseText(text);
  // JSON forbids raw control characters and UTF-8 has no surrogates: only escapes can contain them.
  if (text.includes('\\u')) rejectUnstorable(value);
  return value;
}

function malformed(code: DetailCode, message: string): DomainError {
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
    // The message of the parser quotes the body, so only its position is used.
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    throw malformed(
      'syntax',
      position === undefined ? 'Invalid JSON.' : `Invalid JSON at character ${position}.`,
    );
  }
}

/** An object or array that the scan has entered. */
interface OpenContainer {
  /** The keys so far; undefined in an array. */
  readonly keys: Set<string> | undefined;
  isKeyNext: boolean;
  commas: number;
}

/**
 * Checks depth, number of members and keys. The check is exact for valid JSON. Invalid JSON may pass it; the parser then
 * rejects it.
 */
function checkLimits(text: string): void {
  const openContainers: OpenContainer[] = [];
  for (let index = 0; index < text.length; index++) {
    const container = openContainers.at(-1);
    switch (text[index]) {
      case '{':
      case '[': {
        if (openContainers.length === JSON_DEPTH_MAX)
          throw malformed('too_deep', `The body has too many levels; at most ${JSON_DEPTH_MAX} are allowed.`);
        const isObject = text[index] === '{';
        openContainers.push({ keys: isObject ? new Set() : undefined, isKeyNext: isObject, commas: 0 });
        break;
      }
      case '}':
      case ']':
        openContainers.pop();
        break;
      case ',':
        if (container !== undefined) countMember(container);
        break;
      case '"': {
        const end = endOfString(text, index);
        if (container?.isKeyNext) addKey(container, text.slice(index, end + 1));
        index = end;
      }
    }
  }
}

function countMember(container: OpenContainer): void {
  container.commas++;
  container.isKeyNext = container.keys !== undefined;
  if (container.commas >= JSON_MEMBERS_MAX)
    throw malformed(
      'too_many',
      `An object or array is too large; at most ${JSON_MEMBERS_MAX} keys or items are allowed.`,
    );
}

function addKey(container: OpenContainer, token: string): void {
  container.isKeyNext = false;
  const key = token.includes('\\') ? unescaped(token) : token.slice(1, -1);
  if (key === undefined) return;
  if (FORBIDDEN_KEYS.has(key)) throw malformed('forbidden_key', `The key ${key} is not allowed.`);
  if (container.keys?.has(key)) throw malformed('duplicate_key', 'An object has a duplicate key.');
  container.keys?.add(key);
}

/** Returns undefined for an invalid key: the parser then rejects the body and reports the position. */
function unescaped(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

/** Returns the index of the closing quote, or the length if the string is not closed. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index;
  }
  return text.length;
}

/** Rejects U+0000, which Postgres cannot store, and lone surrogates, which UTF-8 cannot encode. */
function rejectUnstorable(value: unknown): void {
  const details: ErrorDetail[] = [];
  collectUnstorable(value, '', details);
  if (details.length > 0) throw new DomainError('validation_failed', undefined, details.slice(0, 100));
}

function collectUnstorable(value: unknown, field: string, details: ErrorDetail[]): void {
  const isUnstorable = (text: string) => text.includes('\u0000') || !text.isWellFormed();
  const reject = () =>
    details.push({
      ...(field === '' ? {} : { field }),
      code: 'invalid_text',
      message: 'U+0000 and lone surrogates are not allowed.',
    });
  if (typeof value === 'string') {
    if (isUnstorable(value)) reject();
  } else if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) {
    for (const [key, member] of Object.entries(value)) {
      if (isUnstorable(key)) reject();
      else collectUnstorable(member, field === '' ? key : `${field}.${key}`, details);
    }
  }
}
