/** Pure values: exact decimals, instants as text, periods, URLs. This code does no I/O, so `*.rules.ts` files may import it. */
export { coarse, coarseFraction } from './coarse.js';
export { BigDecimal, divideDecimals, floorToStep, roundToStep } from './decimal-arithmetic.js';
export { formatInstant } from './format-instant.js';
export { parseUrl } from './parse-url.js';
export { isFeeUnvalued, lotsWithUnvaluedFee } from './unvalued-fees.js';
export { type UtcPeriod, utcPeriodAt } from './utc-periods.js';
