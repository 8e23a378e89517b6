/** Pure values: exact decimals, instants as text, URLs. Rules may import this folder; it performs no I/O. */
export { Exact, quotientOf } from './decimal-arithmetic.js';
export { instantText } from './instant-text.js';
export { parseUrl } from './parse-url.js';
