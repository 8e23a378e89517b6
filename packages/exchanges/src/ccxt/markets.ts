/** Markets, prices and balances as ccxt tells them, in the port's form. */
import type { Decimal, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { AssetBalance, Balances, Market } from '../port.js';
import type { Adapter, NativeMarketRules } from './adapter.js';
import { MalformedResponse } from './failures.js';
import { exactDecimal, parseResponse } from './parse-response.js';

const limit = z.object({ min: exactDecimal.optional(), max: exactDecimal.optional() }).optional();
/** ccxt carries some of its exchanges' fees itself, as numbers. */
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

/** Markets whose rules can't be read, or that count in contracts of another size than one, are left out. */
export function readMarkets(
  markets: Readonly<Record<string, unknown>>,
  types: readonly TradingType[],
  adapter: Adapter,
): readonly Market[] {
  return Object.values(markets).flatMap((entry) => {
    const { data } = market.safeParse(entry);
    if (data === undefined || (data.contractSize ?? '1') !== '1') return [];
    if (data.precision.price === '0' || data.precision.amount === '0') return [];
    const own = ownRulesOf(adapter, data.info);
    if (own === undefined) return [];
    return types.filter((type) => isOf(entry, adapter, type)).map((type) => toMarket(data, own, type));
  });
}

function ownRulesOf(adapter: Adapter, info: unknown): NativeMarketRules | undefined {
  try {
    return adapter.nativeRules(info);
  } catch (error) {
    if (error instanceof MalformedResponse) return undefined;
    throw error;
  }
}

/** ccxt marks a market with a flag for each kind that it is of. */
function isOf(entry: unknown, adapter: Adapter, type: TradingType): boolean {
  const kind = adapter.tradingTypes[type]?.market;
  return kind !== undefined && (entry as Readonly<Record<string, unknown>>)[kind] === true;
}

function toMarket(data: z.output<typeof market>, own: NativeMarketRules, tradingType: TradingType): Market {
  const { amount, cost, market: ofMarketOrders } = data.limits;
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
    maxAmount: bound(amount?.max),
    minNotional: cost?.min ?? '0',
    maxNotional: bound(cost?.max),
    marketAmountStep: own.marketAmountStep,
    marketMaxAmount: bound(ofMarketOrders?.max),
    contractSize: data.contractSize,
    makerFee: data.maker,
    takerFee: data.taker,
    orderTypes: own.orderTypes,
    timeInForces: own.timeInForces,
    isActive: data.active !== false,
  };
}

/** Exchanges say 0 for "no bound". */
function bound(max: Decimal | undefined): Decimal | undefined {
  return max === '0' ? undefined : max;
}

const amounts = z.record(z.string(), exactDecimal.optional());
const balances = z.object({ info: z.unknown(), free: amounts, used: amounts });

export function readBalances(answer: unknown, adapter: Adapter): Balances {
  const { info, free, used } = parseResponse(balances, answer);
  if (!adapter.isBalanceResponse(info)) throw new MalformedResponse('not about balances');
  const known: Record<string, AssetBalance> = {};
  for (const [asset, amount] of Object.entries(free)) {
    const locked = used[asset];
    if (amount === undefined || locked === undefined) throw new MalformedResponse('half a balance');
    if (amount !== '0' || locked !== '0') known[asset] = { free: amount, locked };
  }
  return known;
}

const prices = z.record(
  z.string(),
  z.object({ price: exactDecimal.optional(), last: exactDecimal.optional() }),
);

/** The last price of each that has one. */
export function readPrices(answer: unknown, symbols: readonly string[]): Record<string, Decimal> {
  const read = parseResponse(prices, answer);
  return Object.fromEntries(
    symbols.flatMap((symbol) => {
      const price = read[symbol]?.price ?? read[symbol]?.last;
      return price === undefined || price === '0' ? [] : [[symbol, price]];
    }),
  );
}
