/** Exact arithmetic: the API's decimals have up to 38 digits. */
import Decimal from 'decimal.js';

export const Exact = Decimal.clone({ precision: 60, toExpNeg: -40, toExpPos: 40 });
export type Exact = Decimal;

const PLAIN = /^\d{1,20}(\.\d{0,18})?$/;

/** What a person has typed: nothing, a number, or what is wrong with it. */
export type TypedDecimal =
  | { readonly kind: 'empty' }
  | { readonly kind: 'number'; readonly value: Exact }
  | { readonly kind: 'invalid'; readonly message: string };

/** Reads a positive number that a person has typed. A comma is refused, because its meaning depends on the country. */
export function readTyped(text: string): TypedDecimal {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'empty' };
  if (trimmed.includes(','))
    return { kind: 'invalid', message: 'Use a point for decimals and no separators, such as 1204.5.' };
  if (!PLAIN.test(trimmed)) return { kind: 'invalid', message: 'Enter a number, such as 1204.5.' };
  const value = new Exact(trimmed);
  if (value.isZero()) return { kind: 'invalid', message: 'Enter a number greater than zero.' };
  return { kind: 'number', value };
}

/** The multiple of a step at or below a value. */
export function floorTo(value: Exact, step: Exact): Exact {
  return step.isZero() ? value : value.div(step).floor().times(step);
}

/** The multiple of a step at or above a value. */
export function ceilTo(value: Exact, step: Exact): Exact {
  return step.isZero() ? value : value.div(step).ceil().times(step);
}

export const isMultipleOf = (value: Exact, step: Exact) => step.isZero() || value.mod(step).isZero();
