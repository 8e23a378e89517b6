/**
 * Values fees in a third asset that had no value when their fill was stored: the exchange had reported no price within a
 * minute of the fill, the fill was found late, or an earlier release stored it.
 *
 * 1. The price is that of the exchange in the minute of the fill. A fee that cannot be valued is tried again.
 * 2. The value and the lots that contain it are written in one transaction, which books the fills since then again.
 *    Amounts stay the same, so no signal is emitted.
 * 3. A value is written once and never changes.
 */
import { assetsOfSymbol, type Decimal } from '@trading-automation/contracts';
import { inTransaction, type Tx, withAdvisoryLock } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { type ConversionPath, conversionKey, conversionPaths, convert } from '../trade-pairs/index.js';
import { delayFeeValues, storeFeeValues, type UnvaluedFee, unvaluedFees } from './fee-values.queries.js';
import { lockBooks, rebookFills } from './lots/book-trades.js';

/** The number of fees that one run values. Each may need two calls to the exchange. */
const BATCH_SIZE = 50;
const MINUTE_MS = 60_000;

/** Returns the price of a symbol in the minute of an instant; null if the exchange has none. */
export type ReadPriceAt = (exchange: string, symbol: string, at: Date) => Promise<Decimal | null>;

export interface FeeValuationDependencies {
  readonly platform: Platform;
  readonly readPriceAt: ReadPriceAt;
  /** Called with the error of each price that could not be read. */
  readonly onError: (error: unknown) => void;
}

interface FeeValue {
  readonly fee: UnvaluedFee;
  readonly value: Decimal;
}

export class FeeValuation {
  constructor(private readonly dependencies: FeeValuationDependencies) {}

  /**
   * Values the next fees that are due and returns the number of stored values. Only one process at a time does this;
   * returns 0 if another one does.
   */
  async run(): Promise<number> {
    const { database } = this.dependencies.platform;
    const outcome = await withAdvisoryLock(database, 'fee values', async (signal) => {
      const fees = await unvaluedFees(database.manager, BATCH_SIZE);
      if (fees.length === 0) return 0;
      const values = await this.valuesOf(fees, signal);
      const valued = new Set(values.map(({ fee }) => fee.fillId));
      const unknown = fees.map(({ fillId }) => fillId).filter((id) => !valued.has(id));
      if (unknown.length > 0) await delayFeeValues(database.manager, unknown);
      return this.store(values);
    });
    return outcome.acquired ? outcome.value : 0;
  }

  private async valuesOf(fees: readonly UnvaluedFee[], signal: AbortSignal): Promise<FeeValue[]> {
    const paths = await conversionPaths(this.dependencies.platform.database.manager, fees.map(conversionOf));
    const prices = new MinutePrices(this.dependencies);
    const values: FeeValue[] = [];
    for (const fee of fees) {
      if (signal.aborted) break;
      const value = await valueThrough(paths.get(conversionKey(conversionOf(fee))) ?? [], fee, prices);
      if (value !== null) values.push({ fee, value });
    }
    return values;
  }

  private async store(values: readonly FeeValue[]): Promise<number> {
    const byBook = new Map<string, FeeValue[]>();
    for (const value of values) {
      const key = `${value.fee.exchangeAccountId}/${value.fee.tradePairId}`;
      byBook.set(key, [...(byBook.get(key) ?? []), value]);
    }
    let stored = 0;
    for (const ofBook of byBook.values()) {
      const { database } = this.dependencies.platform;
      stored += await inTransaction(database, (tx) => storeInBook(tx, ofBook));
    }
    return stored;
  }
}

async function storeInBook(tx: Tx, values: readonly FeeValue[]): Promise<number> {
  const { exchangeAccountId, tradePairId } = values[0]!.fee;
  const key = { exchangeAccountId, tradePairId };
  await lockBooks(tx, [key]);
  const fills = await storeFeeValues(
    tx,
    values.map(({ fee: { fillId }, value }) => ({ fillId, value })),
  );
  await rebookFills(tx, key, fills);
  return fills.length;
}

const conversionOf = ({ exchange, symbol, currency }: UnvaluedFee) => ({
  exchange,
  from: currency,
  to: assetsOfSymbol(symbol).quote,
});

/** Returns the value by the first path whose steps all have a price; null without such a path. */
async function valueThrough(
  paths: readonly ConversionPath[],
  { exchange, amount, executedAt }: UnvaluedFee,
  minutePrices: MinutePrices,
): Promise<Decimal | null> {
  for (const path of paths) {
    const prices: Decimal[] = [];
    for (const { symbol } of path) {
      const price = await minutePrices.read(exchange, symbol, executedAt);
      if (price === null) break;
      prices.push(price);
    }
    if (prices.length === path.length) return convert(amount, path, prices);
  }
  return null;
}

/** The prices that one run has read, so that fees of the same minute share a call. */
class MinutePrices {
  private readonly known = new Map<string, Decimal | null>();

  constructor(private readonly dependencies: Pick<FeeValuationDependencies, 'readPriceAt' | 'onError'>) {}

  /** Returns null if the exchange has no price, or if it could not be read. */
  async read(exchange: string, symbol: string, at: Date): Promise<Decimal | null> {
    const key = `${exchange} ${symbol} ${Math.floor(at.getTime() / MINUTE_MS)}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { readPriceAt, onError } = this.dependencies;
    const price = await readPriceAt(exchange, symbol, at).catch((error) => {
      onError(error);
      return null;
    });
    this.known.set(key, price);
    return price;
  }
}
