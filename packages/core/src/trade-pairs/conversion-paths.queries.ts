import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { BigDecimal } from '../values/index.js';

/** A conversion of one asset to another at an exchange. */
export interface Conversion {
  readonly exchange: string;
  readonly from: string;
  readonly to: string;
}

/** One step of a conversion, by a spot pair. */
interface ConversionStep {
  readonly symbol: string;
  /** Whether the step divides by the pair's price, because the pair quotes the asset that is converted. */
  readonly isInverse: boolean;
  /** The last price that a worker received; null without one. `lastPriceAt` is when the exchange reported it. */
  readonly lastPrice: Decimal | null;
  readonly lastPriceAt: Date | null;
}

/** The steps of a conversion, one or two. */
export type ConversionPath = readonly ConversionStep[];

export const conversionKey = ({ exchange, from, to }: Conversion) => `${exchange} ${from} ${to}`;

/** Whether the pair converts `source` to `target`, in either direction. */
const converts = (pair: string, source: string, target: string) =>
  `${pair}.exchange = w.exchange AND ${pair}.trading_type = 'spot'
     AND ${pair}.symbol IN (${source} || '/' || ${target}, ${target} || '/' || ${source})`;

const step = (pair: string, source: string) =>
  `${pair}.symbol, ${pair}.quote = ${source} AS "isInverse",
   CASE WHEN ${pair}.last_price > 0 THEN trim_scale(${pair}.last_price)::text END AS "lastPrice", ${pair}.last_price_at AS "lastPriceAt"`;

const WANTED = 'FROM unnest($1::text[], $2::text[], $3::text[]) AS w (exchange, source, target)';

const DIRECT = `SELECT w.exchange, w.source AS "from", w.target AS "to", ${step('p', 'w.source')}
  ${WANTED} JOIN trade_pairs p ON ${converts('p', 'w.source', 'w.target')}
  ORDER BY p.is_active DESC, p.quote = w.source, p.id`;

/** Through one other currency; the currency that quotes the most active pairs comes first. */
const THROUGH_ANOTHER = `
  SELECT w.exchange, w.source AS "from", w.target AS "to", ${step('a', 'w.source')}, b.symbol AS "secondSymbol",
    b.quote = via.asset AS "secondIsInverse",
    CASE WHEN b.last_price > 0 THEN trim_scale(b.last_price)::text END AS "secondPrice",
    b.last_price_at AS "secondPriceAt"
  ${WANTED} JOIN trade_pairs a ON a.exchange = w.exchange AND a.trading_type = 'spot' AND a.listed_symbol IS NULL
    AND w.source IN (a.base, a.quote)
  CROSS JOIN LATERAL (SELECT CASE WHEN a.base = w.source THEN a.quote ELSE a.base END AS asset) via
  JOIN trade_pairs b ON ${converts('b', 'via.asset', 'w.target')}
  ORDER BY a.is_active AND b.is_active DESC, (
    SELECT count(*) FROM trade_pairs q WHERE q.exchange = w.exchange AND q.quote = via.asset AND q.is_active) DESC,
    via.asset, a.id, b.id`;

/**
 * Returns how each conversion can be made with the exchange's spot pairs, by `conversionKey`. The best path comes first:
 * the pair of the two assets, otherwise paths through one other currency. A conversion without a path is left out.
 */
export async function conversionPaths(
  tx: Tx,
  conversions: readonly Conversion[],
): Promise<ReadonlyMap<string, readonly ConversionPath[]>> {
  const paths = new Map<string, ConversionPath[]>();
  const add = (conversion: Conversion, path: ConversionPath) => {
    const key = conversionKey(conversion);
    paths.set(key, [...(paths.get(key) ?? []), path]);
  };
  const wanted = [...new Map(conversions.map((each) => [conversionKey(each), each])).values()];
  for (const row of await queryPrepared<Conversion & ConversionStep>(tx, DIRECT, columnsOf(wanted)))
    add(row, [stepOf(row)]);
  const others = wanted.filter((each) => !paths.has(conversionKey(each)));
  if (others.length === 0) return paths;
  for (const row of await queryPrepared<ThroughAnother>(tx, THROUGH_ANOTHER, columnsOf(others))) {
    const { secondSymbol: symbol, secondIsInverse: isInverse, secondPrice, secondPriceAt } = row;
    add(row, [stepOf(row), { symbol, isInverse, lastPrice: secondPrice, lastPriceAt: secondPriceAt }]);
  }
  return paths;
}

interface ThroughAnother extends Conversion, ConversionStep {
  readonly secondSymbol: string;
  readonly secondIsInverse: boolean;
  readonly secondPrice: Decimal | null;
  readonly secondPriceAt: Date | null;
}

const stepOf = ({ symbol, isInverse, lastPrice, lastPriceAt }: ConversionStep): ConversionStep => ({
  symbol,
  isInverse,
  lastPrice,
  lastPriceAt,
});

const columnsOf = (conversions: readonly Conversion[]) => [
  conversions.map(({ exchange }) => exchange),
  conversions.map(({ from }) => from),
  conversions.map(({ to }) => to),
];

const VALUE_DECIMALS = 18;

/**
 * Converts an amount by the prices of the path's steps, rounded to 18 decimals.
 *
 * @param prices the price of each step; above zero
 */
export function convert(amount: Decimal, path: ConversionPath, prices: readonly Decimal[]): Decimal {
  return path
    .reduce(
      (value, { isInverse }, at) => (isInverse ? value.div(prices[at]!) : value.times(prices[at]!)),
      new BigDecimal(amount),
    )
    .toDecimalPlaces(VALUE_DECIMALS, BigDecimal.ROUND_HALF_EVEN)
    .toString();
}
