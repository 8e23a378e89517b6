/**
 * Decimals on the wire.
 *
 * 1. A decimal is a string in plain notation without exponent, leading or trailing zeros (`"0.00001"`), from
 *    the raw body to `numeric(38,18)` and back. Arithmetic never uses a JavaScript number.
 * 2. It has at most 18 decimals and 20 integer digits. More digits are an error; they are never rounded.
 * 3. A JSON number that a double cannot represent exactly is parsed to a {@link JsonNumber}, which preserves its digits.
 */

import { z } from 'zod';
import type { DetailCode } from './detail-codes.js';

export const DECIMAL_SCALE = 18;
export const DECIMAL_INTEGER_DIGITS = 20;

/** A decimal in canonical plain notation. */
export type Decimal = string;

/** A JSON number that a double cannot represent exactly; `text` is its source text. */
export class JsonNumber {
  constructor(readonly text: string) {}
  toJSON(): string {
    return this.text;
  }
}

/**
 * A decimal as a string: no plus sign, no leading zeros, no exponent, digits on both sides of a decimal point. The limits of
 * digits are those of the storage; trailing zeros count.
 */
export const DECIMAL_STRING = new RegExp(
  `^-?(0|[1-9][0-9]{0,${DECIMAL_INTEGER_DIGITS - 1}})([.][0-9]{1,${DECIMAL_SCALE}})?$`,
);

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

export type DecimalProblem = 'not_a_decimal' | 'too_many_decimals' | 'too_many_digits';

/** Parses a number in JSON notation, also with an exponent. Returns its canonical form, or the problem. */
export function readDecimal(text: string): { value: Decimal } | { problem: DecimalProblem } {
  const match = NUMBER.exec(text);
  if (!match) return { problem: 'not_a_decimal' };
  const [, sign, whole = '', fraction = '', exponent] = match;
  if (whole.length + fraction.length > 400) return { problem: 'too_many_digits' };
  const shift = exponent === undefined ? 0 : Number(exponent);
  if (Math.abs(shift) > 400) {
    return /^0*$/.test(whole + fraction)
      ? { value: '0' }
      : { problem: shift > 0 ? 'too_many_digits' : 'too_many_decimals' };
  }
  const digits = whole + fraction;
  const point = whole.length + shift;
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const split = Math.max(point, 1);
  const integer = padded.slice(0, split).replace(/^0+(?=\d)/, '');
  const decimals = padded.slice(split).replace(/0+$/, '');
  if (decimals.length > DECIMAL_SCALE) return { problem: 'too_many_decimals' };
  if (integer.length > DECIMAL_INTEGER_DIGITS) return { problem: 'too_many_digits' };
  const plain = decimals ? `${integer}.${decimals}` : integer;
  return { value: sign === '-' && plain !== '0' ? `-${plain}` : plain };
}

/** Returns a decimal of Postgres without trailing zeros: `1.500` becomes `1.5`. */
export function canonicalDecimal(text: string): Decimal {
  if (!text.includes('.')) return text;
  const trimmed = text.replace(/\.?0+$/, '');
  return trimmed === '-0' ? '0' : trimmed;
}

/**
 * Parses a decimal string of a request. Other code reads decimals of exchanges with {@link readDecimal}, which is more
 * lenient.
 */
function readDecimalString(text: string): ReturnType<typeof readDecimal> {
  if (DECIMAL_STRING.test(text)) return readDecimal(text);
  if (!PLAIN.test(text)) return { problem: 'not_a_decimal' };
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  if (whole.length > 1 && whole.startsWith('0')) return { problem: 'not_a_decimal' };
  return { problem: fraction.length > DECIMAL_SCALE ? 'too_many_decimals' : 'too_many_digits' };
}

const PLAIN = /^-?[0-9]+([.][0-9]+)?$/;

const PROBLEMS: Record<DecimalProblem, string> = {
  not_a_decimal:
    'Expected a decimal number: a JSON number, or a string like "1250.5" without plus sign, leading zeros or exponent.',
  too_many_decimals: `Must have at most ${DECIMAL_SCALE} decimal places.`,
  too_many_digits: `Must have at most ${DECIMAL_INTEGER_DIGITS} digits before the decimal point.`,
};

/** Returns the text of a number that was parsed by the JSON grammar. */
function numberText(value: unknown): string {
  return value instanceof JsonNumber ? value.text : String(value);
}

/** The signs that a field allows. */
export type DecimalRange = 'any' | 'positive' | 'non_negative';

/**
 * Schema of an input decimal: a JSON number, also with an exponent, or a string in the form of {@link DECIMAL_STRING}. Both
 * are exact to 18 decimals. Zero and negative values are refused unless `range` allows them.
 */
export function decimalInput(range: DecimalRange = 'positive') {
  return z
    .custom<string | number>(
      (value) => typeof value === 'number' || typeof value === 'string' || value instanceof JsonNumber,
      {
        error: PROBLEMS.not_a_decimal,
      },
    )
    .transform((value: unknown, context): Decimal => {
      const parsed = typeof value === 'string' ? readDecimalString(value) : readDecimal(numberText(value));
      if ('problem' in parsed) {
        context.addIssue({
          code: 'custom',
          message: PROBLEMS[parsed.problem],
          params: { code: parsed.problem },
        });
        return z.NEVER;
      }
      if (range === 'positive' && (parsed.value === '0' || parsed.value.startsWith('-'))) {
        context.addIssue({
          code: 'custom',
          message: 'Must be greater than zero.',
          params: { code: 'not_positive' satisfies DetailCode },
        });
      } else if (range === 'non_negative' && parsed.value.startsWith('-')) {
        context.addIssue({
          code: 'custom',
          message: 'Must not be negative.',
          params: { code: 'negative' satisfies DetailCode },
        });
      }
      return parsed.value;
    })
    .meta({ format: 'decimal', decimalRange: range });
}

/**
 * Schema of a decimal in a response: a canonical string in code, written as a JSON number or, on
 * request, as a string.
 */
export const decimal = z
  .string()
  .regex(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
  .meta({ format: 'decimal' });
