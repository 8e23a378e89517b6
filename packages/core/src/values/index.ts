/** Pure values: exact decimals, instants as text, URLs. Rules may import this folder; it performs no I/O. */
export { BigDecimal, divideDecimals } from './decimal-arithmetic.js';
export { formatInstant } from './format-instant.js';
export { parseUrl } from './parse-url.js';
