/** Converts ccxt's markets and prices to the types of the port. */
import type { Decimal, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { Candle, Market, Ticker } from '../port.js';
import { multiply } from './amounts.js';
import type { NativeMarketRules, TradingTypeDeclaration } from './declaration.js';
import { MalformedResponse } from './failures.js';
import { exactDecimal, parseResponse } from './parse-response.js';

/** A decimal. For some exchanges ccxt has fixed values in its code, as numbers instead of strings. */
const decimal = z.union([z.number().transform(String), z.string()]).pipe(exactDecimal);
const limit = z.object({ min: decimal.optional(), max: decimal.optional() }).optional();
const rate = decimal.optional();
const market = z.object({
  id: z.string().min(1),
  symbol: z.string().min(1),
  base: z.string().min(1),
  quote: z.string().min(1),
  settle: z.string().min(1).optional(),
  active: z.boolean().optional(),
  spot: z.boolean().optional(),
  margin: z.boolean().optional(),
  swap: z.boolean().optional(),
  contract: z.boolean().optional(),
  linear: z.boolean().optional(),
  contractSize: exactDecimal.optional(),
  maker: rate,
  taker: rate,
  precision: z.object({ price: exactDecimal, amount: exactDecimal }),
  limits: z.object({ amount: limit, cost: limit, leverage: limit, market: limit }),
  info: z.unknown(),
});

/**
 * Converts the markets of one trading type. Omits those whose rules cannot be parsed, and contracts that are not linear
 * perpetuals.
 */
export function readMarkets(
  markets: Readonly<Record<string, unknown>>,
  tradingType: TradingType,
  declaration: Pick<TradingTypeDeclaration, 'market' | 'nativeRules'>,
): readonly Market[] {
  return Object.values(markets).flatMap((entry) => {
    const { data } = market.safeParse(entry);
    // ccxt marks a market with one flag for each market type.
    if (data === undefined || data[declaration.market] !== true) return [];
    if (data.contract === true && data.linear !== true) return [];
    if (data.precision.price === '0' || data.precision.amount === '0') return [];
    const rules = nativeRulesOf(declaration, data.info);
    return rules === undefined ? [] : [toMarket(data, rules, tradingType)];
  });
}

function nativeRulesOf(
  declaration: Pick<TradingTypeDeclaration, 'nativeRules'>,
  info: unknown,
): NativeMarketRules | undefined {
  try {
    return declaration.nativeRules(info);
  } catch (error) {
    if (error instanceof MalformedResponse) return undefined;
    throw error;
  }
}

function toMarket(data: z.output<typeof market>, rules: NativeMarketRules, tradingType: TradingType): Market {
  const { amount, cost, leverage, market: marketOrderLimits } = data.limits;
  const contractSize = data.contract === true ? (data.contractSize ?? '1') : undefined;
  const toBase = (contracts: Decimal) => multiply(contracts, contractSize ?? '1');
  const maximumOf = (max: Decimal | undefined) =>
    max === undefined || max === '0' ? undefined : toBase(max);
  const stepOfMarketOrders = rules.marketAmountStep;
  return {
    symbol: data.symbol,
    exchangeSymbol: data.id,
    base: data.base,
    quote: data.quote,
    settle: data.settle,
    tradingType,
    priceTick: data.precision.price,
    amountStep: toBase(data.precision.amount),
    minAmount: toBase(amount?.min ?? data.precision.amount),
    maxAmount: maximumOf(amount?.max),
    minNotional: cost?.min ?? '0',
    // Exchanges write 0 for "no maximum".
    maxNotional: cost?.max === '0' ? undefined : cost?.max,
    marketAmountStep: stepOfMarketOrders === undefined ? undefined : toBase(stepOfMarketOrders),
    marketMaxAmount: maximumOf(marketOrderLimits?.max),
    contractSize,
    maxLeverage: contractSize === undefined ? undefined : leverage?.max,
    makerFee: data.maker,
    takerFee: data.taker,
    orderTypes: rules.orderTypes,
    timeInForces: rules.timeInForces,
    isActive: data.active !== false,
  };
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
