/** Parses JSON of exchanges without losing digits of a number. */
import { parse } from 'lossless-json';

/**
 * Shorter numbers are exact as doubles. For them the built-in parser is used, which is many times
 * faster.
 */
const LONG_NUMBER = /[\d.]{16}/;

/**
 * Parses JSON; a number that a double cannot represent exactly becomes a string. Returns undefined
 * for invalid JSON.
 */
export function readJson(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? parse(text, undefined, numberOf) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberOf(text: string): number | string {
  const number = Number(text);
  return String(number) === text ? number : text;
}
