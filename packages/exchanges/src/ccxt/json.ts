/** Parses JSON of exchanges without losing digits of a number. */
import { parse } from 'lossless-json';

/** Shorter numbers are exact as doubles, so the engine's own parser reads them; it is many times faster. */
const LONG_NUMBER = /[\d.]{16}/;

/** A number that a double cannot represent exactly becomes its string. Returns undefined if the text is not JSON. */
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
