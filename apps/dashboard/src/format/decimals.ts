/** Exact arithmetic: the API's decimals have up to 38 digits. A quotient is rounded to 40 decimals. */
import { Big, type BigSource } from 'big.js';

export const Exact = Big();
Exact.DP = 40;
export type Exact = Big;

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
  const value = new Exact(trimmed.replace(/\.$/, ''));
  if (isZero(value)) return { kind: 'invalid', message: 'Enter a number greater than zero.' };
  return { kind: 'number', value };
}

export const isZero = (value: Exact) => value.eq(0);

/** Adds decimals. */
export const total = (values: readonly BigSource[]): Exact =>
  values.reduce<Exact>((sum, value) => sum.plus(value), new Exact(0));

/** Adds decimals of the API. */
export const sumOf = (values: readonly string[]): string => total(values).toFixed();

/** The largest of at least one value. */
export const largestOf = (...values: readonly BigSource[]): Exact => mostOf(values, (a, b) => a.gt(b));

/** The smallest of at least one value. */
export const smallestOf = (...values: readonly BigSource[]): Exact => mostOf(values, (a, b) => a.lt(b));

function mostOf(values: readonly BigSource[], isBefore: (a: Exact, b: Exact) => boolean): Exact {
  return values
    .map((value) => new Exact(value))
    .reduce((most, value) => (isBefore(value, most) ? value : most));
}

/** Rounds a positive value down to a number of decimals. */
export const roundDown = (value: Exact, decimals = 0): Exact => value.round(decimals, Big.roundDown);

/** Rounds a positive value up to a number of decimals. */
export const roundUp = (value: Exact, decimals = 0): Exact => value.round(decimals, Big.roundUp);

/** The multiple of a step at or below a value. */
export function floorTo(value: Exact, step: Exact): Exact {
  return isZero(step) ? value : roundDown(value.div(step)).times(step);
}

/** The multiple of a step at or above a value. */
export function ceilTo(value: Exact, step: Exact): Exact {
  return isZero(step) ? value : roundUp(value.div(step)).times(step);
}

export const isMultipleOf = (value: Exact, step: Exact) => isZero(step) || isZero(value.mod(step));

/** The count of decimals of a value. */
export const decimalsOf = (value: string): number => new Exact(value).toFixed().split('.')[1]?.length ?? 0;
