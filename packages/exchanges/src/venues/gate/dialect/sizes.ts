/**
 * Sizes in contracts, as Gate renders them. With the header `X-Gate-Size-Decimal: 1`, they are strings that may have a
 * fraction; without it, they are truncated to whole numbers. https://www.gate.com/docs/developers/apiv4/en/#futures
 */
import type { VenueRequest } from '../../../../conformance/scripted/dialect.js';

export const hasDecimalSizes = (headers: VenueRequest['headers']): boolean =>
  headers['x-gate-size-decimal'] === '1';

const SIZES = new Set([
  'size',
  'left',
  'iceberg',
  'close_size',
  's',
  'v',
  'total_size',
  'volume_24h',
  'trade_size',
  'position_size',
  'order_size_min',
  'order_size_max',
  'trade_max_size',
]);

/** Returns a record or a list of records with its sizes as the exchange renders them. */
export function withSizes(value: unknown, areDecimal: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => withSizes(each, areDecimal));
  if (typeof value !== 'object' || value === null) return value;
  const render = (size: number) => (areDecimal ? String(size) : Math.trunc(size));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) =>
      // A field of books has the name of the contract.
      SIZES.has(name) && Number.isFinite(Number(each))
        ? [name, render(Number(each))]
        : [name, withSizes(each, areDecimal)],
    ),
  );
}
