/** Parses JSON of exchanges without losing digits of a number. */
import { parse } from 'lossless-json';

/**
 * Matches a number of at least 16 characters. Shorter numbers are exact as doubles, so text without a match is parsed
 * with `JSON.parse`, which is many times faster.
 */
const LONG_NUMBER = /[\d.]{16}/;

/**
 * Parses JSON; a number that a double cannot represent exactly becomes a string. Returns undefined
 * for invalid JSON.
 */
export function readJson(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? parse(text, undefined, numberOrDigits) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberOrDigits(text: string): number | string {
  const number = Number(text);
  return String(number) === text ? number : text;
}
