/** JSON of exchanges, without losing a digit of a number. */
import { parse } from 'lossless-json';

/** As many digits as any double carries exactly are left to the engine's own parser, which is many times faster. */
const LONG_NUMBER = /[\d.]{16}/;

/** The text of a number stands for it where a double would lose digits. What isn't JSON is undefined. */
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
