import Decimal from 'decimal.js';

/** Adds decimals exactly. */
export const sumOf = (values: readonly string[]) => Decimal.sum(0, ...values).toFixed();
