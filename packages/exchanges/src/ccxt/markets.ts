/** Converts ccxt's markets, prices and balances to the types of the port. */
import type { Decimal, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { AssetBalance, BalanceReport, Candle, Market, Ticker } from '../port.js';
import type { Adapter, NativeMarketRules } from './adapter.js';
import { MalformedResponse } from './failures.js';
import { exactDecimal, parseResponse } from './parse-response.js';

const limit = z.object({ min: exactDecimal.optional(), max: exactDecimal.optional() }).optional();
/** A fee rate. For some exchanges ccxt has fixed rates in its code, as numbers instead of strings. */
const rate = z
  .union([z.number().transform(String), z.string()])
  .pipe(exactDecimal)
  .optional();
const market = z.object({
  id: z.string().min(1),
  symbol: z.string().min(1),
  base: z.string().min(1),
  quote: z.string().min(1),
  settle: z.string().min(1).optional(),
  active: z.boolean().optional(),
  contractSize: exactDecimal.optional(),
  maker: rate,
  taker: rate,
  precision: z.object({ price: exactDecimal, amount: exactDecimal }),
  limits: z.object({ amount: limit, cost: limit, market: limit }),
  info: z.unknown(),
});

/** Converts markets. Omits those whose rules cannot be parsed or whose contract size is not 1. */
export function readMarkets(
  markets: Readonly<Record<string, unknown>>,
  types: readonly TradingType[],
  adapter: Adapter,
): readonly Market[] {
  return Object.values(markets).flatMap((entry) => {
    const { data } = market.safeParse(entry);
    if (data === undefined || (data.contractSize ?? '1') !== '1') return [];
    if (data.precision.price === '0' || data.precision.amount === '0') return [];
    const rules = nativeRulesOf(adapter, data.info);
    if (rules === undefined) return [];
    return types
      .filter((type) => hasTradingType(entry, adapter, type))
      .map((type) => toMarket(data, rules, type));
  });
}

function nativeRulesOf(adapter: Adapter, info: unknown): NativeMarketRules | undefined {
  try {
    return adapter.nativeRules(info);
  } catch (error) {
    if (error instanceof MalformedResponse) return undefined;
    throw error;
  }
}

/** ccxt marks a market with one flag for each market type. */
function hasTradingType(entry: unknown, adapter: Adapter, type: TradingType): boolean {
  const kind = adapter.tradingTypes[type]?.market;
  return kind !== undefined && (entry as Readonly<Record<string, unknown>>)[kind] === true;
}

function toMarket(data: z.output<typeof market>, rules: NativeMarketRules, tradingType: TradingType): Market {
  const { amount, cost, market: marketOrderLimits } = data.limits;
  return {
    symbol: data.symbol,
    exchangeSymbol: data.id,
    base: data.base,
    quote: data.quote,
    settle: data.settle,
    tradingType,
    priceTick: data.precision.price,
    amountStep: data.precision.amount,
    minAmount: amount?.min ?? data.precision.amount,
    maxAmount: maximumOf(amount?.max),
    minNotional: cost?.min ?? '0',
    maxNotional: maximumOf(cost?.max),
    marketAmountStep: rules.marketAmountStep,
    marketMaxAmount: maximumOf(marketOrderLimits?.max),
    contractSize: data.contractSize,
    makerFee: data.maker,
    takerFee: data.taker,
    orderTypes: rules.orderTypes,
    timeInForces: rules.timeInForces,
    isActive: data.active !== false,
  };
}

/** Exchanges write 0 for "no maximum". */
function maximumOf(max: Decimal | undefined): Decimal | undefined {
  return max === '0' ? undefined : max;
}

const amounts = z.record(z.string(), exactDecimal.optional());
const balances = z.object({ info: z.unknown(), free: amounts, used: amounts });

/**
 * Converts balances. If the exchange does not date them, they lie between the request and the response, by its clock.
 *
 * @throws {MalformedResponse} if the response contains no balances
 */
export function readBalances(
  response: unknown,
  adapter: Adapter,
  call: { readonly requestedAt: Date; readonly respondedAt: Date },
): BalanceReport {
  const { info, free, used } = parseResponse(balances, response);
  if (!adapter.isBalanceResponse(info)) throw new MalformedResponse('the response has no balances');
  const nonZero: Record<string, AssetBalance> = {};
  for (const [asset, amount] of Object.entries(free)) {
    const locked = used[asset];
    if (amount === undefined || locked === undefined)
      throw new MalformedResponse('a balance lacks its free or locked amount');
    if (amount !== '0' || locked !== '0') nonZero[asset] = { free: amount, locked };
  }
  const datedAt = adapter.balancesDatedAt(info);
  return { balances: nonZero, at: datedAt ?? call.requestedAt, until: datedAt ?? call.respondedAt };
}

const prices = z.record(
  z.string(),
  z.object({ price: exactDecimal.optional(), last: exactDecimal.optional() }),
);

/** Opening time in Unix milliseconds, open, high, low, close and volume in base currency. */
const candles = z.array(
  z.tuple([z.number(), exactDecimal, exactDecimal, exactDecimal, exactDecimal, exactDecimal], z.unknown()),
);

/** Returns the candles of a response that open within a range, oldest first. */
export function readCandles(
  response: unknown,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Candle[] {
  return parseResponse(candles, response)
    .filter(([openedAt]) => openedAt >= from && openedAt < to)
    .sort(([a], [b]) => a - b)
    .map(([openedAt, open, high, low, close, volume]) => {
      return { openedAt: new Date(openedAt), open, high, low, close, volume };
    });
}

/** A price. Exchanges write 0 for "none". */
const price = exactDecimal.nullish().transform((value) => (value == null || value === '0' ? null : value));
const amount = exactDecimal.nullish().transform((value) => value ?? '0');
const ticker = z.object({
  last: price,
  bid: price,
  ask: price,
  open: price,
  high: price,
  low: price,
  baseVolume: amount,
  quoteVolume: amount,
});

export function readTicker(response: unknown): Ticker {
  const { baseVolume, ...rest } = parseResponse(ticker, response);
  return { ...rest, volume: baseVolume };
}

/** Returns the close of the last candle that opened at or before an instant; null without one. */
export function readCloseAt(response: unknown, atMs: number): Decimal | null {
  const opened = parseResponse(candles, response).filter(([openedAt]) => openedAt <= atMs);
  const last = opened.reduce<(typeof opened)[number] | null>(
    (latest, candle) => (latest === null || candle[0] > latest[0] ? candle : latest),
    null,
  );
  return last === null || last[4] === '0' ? null : last[4];
}

/** Returns the last price of each symbol that has one. */
export function readPrices(response: unknown, symbols: readonly string[]): Record<string, Decimal> {
  const parsed = parseResponse(prices, response);
  return Object.fromEntries(
    symbols.flatMap((symbol) => {
      const price = parsed[symbol]?.price ?? parsed[symbol]?.last;
      return price === undefined || price === '0' ? [] : [[symbol, price]];
    }),
  );
}
