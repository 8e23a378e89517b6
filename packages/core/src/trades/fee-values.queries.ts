/**
 * Values fees that are paid in a third asset, neither in base nor in quote currency of the fill's pair. The value is
 * stored with the fill, and everything that computes with the fee uses it: lots, results, profit shares.
 */
import { assetsOfSymbol, type Decimal } from '@trading-automation/contracts';
import type { VenueFill } from '@trading-automation/exchanges';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import {
  type Conversion,
  type ConversionPath,
  conversionKey,
  conversionPaths,
  convert,
} from '../trade-pairs/index.js';
import { BigDecimal, isFeeUnvalued } from '../values/index.js';

/** A fill that the exchange reported, and what its value depends on. */
interface FillToValue {
  readonly trade: { readonly symbol: string; readonly exchangeAccountId: string };
  readonly fill: VenueFill;
}

/** A last price counts as the price of a fill if the exchange reported it at most this long before or after the fill. */
const PRICE_AGE_MAX_MS = 60_000;

/**
 * Returns, by fill, the values of the fees in a third asset at the last prices, in quote currency. A fee is left out if
 * no price of the time of its fill is stored; `FeeValuation` then values it.
 */
export async function feeValuesOf(
  tx: Tx,
  reports: readonly FillToValue[],
): Promise<ReadonlyMap<VenueFill, Decimal>> {
  const inOthers = reports.filter(({ trade, fill }) => isInThirdAsset(trade.symbol, fill.fee));
  if (inOthers.length === 0) return new Map();
  const exchanges = await exchangesOf(
    tx,
    inOthers.map(({ trade }) => trade.exchangeAccountId),
  );
  const fees = inOthers.map(({ trade, fill }) => ({
    fill,
    conversion: {
      exchange: exchanges.get(trade.exchangeAccountId)!,
      from: fill.fee.currency,
      to: assetsOfSymbol(trade.symbol).quote,
    } satisfies Conversion,
  }));
  const paths = await conversionPaths(
    tx,
    fees.map(({ conversion }) => conversion),
  );
  return new Map(
    fees.flatMap(({ fill, conversion }) => {
      const path = (paths.get(conversionKey(conversion)) ?? []).find((each) =>
        isPricedAt(each, fill.executedAt),
      );
      if (path === undefined) return [];
      const prices = path.map(({ lastPrice }) => lastPrice!);
      return [[fill, convert(fill.fee.amount, path, prices)] as const];
    }),
  );
}

function isInThirdAsset(symbol: string, { amount, currency }: VenueFill['fee']): boolean {
  const { base, quote } = assetsOfSymbol(symbol);
  return currency !== base && currency !== quote && !new BigDecimal(amount).isZero();
}

function isPricedAt(path: ConversionPath, executedAt: Date): boolean {
  return path.every(
    ({ lastPrice, lastPriceAt }) =>
      lastPrice !== null &&
      lastPriceAt !== null &&
      Math.abs(lastPriceAt.getTime() - executedAt.getTime()) <= PRICE_AGE_MAX_MS,
  );
}

async function exchangesOf(tx: Tx, accountIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await queryPrepared<{ id: string; exchange: string }>(
    tx,
    'SELECT id, exchange FROM exchange_accounts WHERE id = ANY ($1)',
    [[...new Set(accountIds)]],
  );
  return new Map(rows.map(({ id, exchange }) => [id, exchange]));
}

/** A fill whose fee has no value yet. */
export interface UnvaluedFee {
  readonly fillId: string;
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly executedAt: Date;
}

/** Returns up to `limit` fills whose fee has no value yet and is due to be valued; first those never tried. */
export function unvaluedFees(tx: Tx, limit: number): Promise<UnvaluedFee[]> {
  return queryPrepared<UnvaluedFee>(
    tx,
    `SELECT f.id AS "fillId", f.exchange_account_id AS "exchangeAccountId", t.trade_pair_id AS "tradePairId", a.exchange,
       f.symbol, trim_scale(f.fee_amount)::text AS amount, f.fee_currency AS currency, f.executed_at AS "executedAt"
     FROM (SELECT id, trade_id, exchange_account_id, symbol, fee_amount, fee_currency, executed_at
           FROM fills f WHERE ${isFeeUnvalued('f')}
             AND (f.fee_value_due_at IS NULL OR f.fee_value_due_at <= clock_timestamp())
           ORDER BY f.fee_value_due_at NULLS FIRST, f.executed_at LIMIT $1) f
     JOIN trades t ON t.id = f.trade_id JOIN exchange_accounts a ON a.id = f.exchange_account_id`,
    [limit],
  );
}

/** Delays the next attempt to value fees: by a tenth of the age of the fill, at least 10 s and at most 1 hour. */
export async function delayFeeValues(tx: Tx, fillIds: readonly string[]): Promise<void> {
  await queryPrepared(
    tx,
    `UPDATE fills SET fee_value_due_at = clock_timestamp()
       + greatest(interval '10 seconds', least(interval '1 hour', (clock_timestamp() - executed_at) / 10))
     WHERE id = ANY ($1) AND fee_value IS NULL`,
    [fillIds],
  );
}

/** Stores values of fees that have none yet, and returns the changed fills. The caller holds the lock of their lot book. */
export function storeFeeValues(
  tx: Tx,
  values: readonly { readonly fillId: string; readonly value: Decimal }[],
): Promise<{ id: string; executedAt: Date }[]> {
  return queryPrepared(
    tx,
    `UPDATE fills f SET fee_value = valued.value FROM unnest($1::uuid[], $2::numeric[]) AS valued (id, value)
     WHERE f.id = valued.id AND f.fee_value IS NULL RETURNING f.id, f.executed_at AS "executedAt"`,
    [values.map(({ fillId }) => fillId), values.map(({ value }) => value)],
  );
}
