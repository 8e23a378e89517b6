/** Reads the pairs that exchanges offer, and chooses those that copiers use. */
import type { QuoteAliases, SymbolMap, TradingType } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { candidateSymbols, choosePair } from './planning/pair-choice.rules.js';
import type { CopyPair } from './planning/plan.types.js';

export interface OfferedPair extends CopyPair {
  readonly id: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly base: string;
  /** Of a perpetual: the settlement currency. */
  readonly quote: string;
  readonly tradingType: TradingType;
}

/** Decimals are trimmed of trailing zeros, which speeds up the arithmetic. */
const OFFERED = `
  SELECT p.id, p.exchange, p.symbol, p.base, coalesce(p.settle, p.quote) AS quote,
    p.trading_type AS "tradingType",
    trim_scale(p.price_tick) AS "priceTick", trim_scale(p.amount_step) AS "amountStep",
    trim_scale(p.market_amount_step) AS "marketAmountStep", trim_scale(p.market_max_amount) AS "marketMaxAmount",
    trim_scale(p.min_amount) AS "minAmount", trim_scale(p.max_amount) AS "maxAmount",
    trim_scale(p.min_notional) AS "minNotional", trim_scale(p.max_notional) AS "maxNotional",
    trim_scale(p.last_price) AS "lastPrice", p.last_price_at AS "lastPriceAt", trim_scale(p.taker_fee) AS "takerFee"
  FROM unnest($2::text[], $3::text[]) AS requested (exchange, symbol)
  JOIN trade_pairs p ON p.exchange = requested.exchange AND p.trading_type = $1 AND p.symbol = requested.symbol
    AND p.is_active`;

/** The pairs of an exchange that a copier may use, in order of preference. */
export interface PairRequest {
  readonly exchange: string;
  readonly candidates: readonly string[];
}

/** Chooses a pair for each request, in input order; null if the exchange offers none of the candidates. */
export async function choosePairs(
  tx: Tx,
  tradingType: TradingType,
  requests: readonly PairRequest[],
): Promise<(OfferedPair | null)[]> {
  const requested = new Map<string, { exchange: string; symbol: string }>();
  for (const { exchange, candidates } of requests) {
    for (const symbol of candidates) requested.set(`${exchange} ${symbol}`, { exchange, symbol });
  }
  const offered = new Map<string, Map<string, OfferedPair>>();
  if (requested.size > 0) {
    const keys = [...requested.values()];
    const pairs = await queryPrepared<OfferedPair>(tx, OFFERED, [
      tradingType,
      keys.map(({ exchange }) => exchange),
      keys.map(({ symbol }) => symbol),
    ]);
    for (const pair of pairs) {
      const ofExchange = offered.get(pair.exchange) ?? new Map<string, OfferedPair>();
      offered.set(pair.exchange, ofExchange.set(pair.symbol, pair));
    }
  }
  return requests.map(({ exchange, candidates }) =>
    choosePair(candidates, offered.get(exchange) ?? new Map()),
  );
}

/** What determines the pair of a copier for a signal. */
export interface PairChoice {
  readonly exchange: string;
  readonly accountTradingType: TradingType;
  readonly quoteAliases: QuoteAliases;
  /** The entry of the copier's map for the strategy's symbol; null without an entry. */
  readonly mappedSymbol: string | null;
  readonly hasLot: boolean;
  /** Whether the copier still holds a lot on a pair that was replaced. It cannot be sold on the pair that replaced it. */
  readonly isOnReplacedPair?: boolean;
  /** The pair of the copier's lot; null if it has the strategy's symbol, or without a lot. */
  readonly lotSymbol: string | null;
}

/** Returns the pairs that a copier may use for a signal. A lot keeps its pair, whatever the settings are now. */
export function pairRequestOf(
  {
    exchange,
    accountTradingType,
    quoteAliases,
    mappedSymbol,
    hasLot,
    lotSymbol,
    isOnReplacedPair = false,
  }: PairChoice,
  { symbol, tradingType }: { readonly symbol: string; readonly tradingType: TradingType },
): PairRequest {
  if (accountTradingType !== tradingType || isOnReplacedPair) return { exchange, candidates: [] };
  if (hasLot) return { exchange, candidates: [lotSymbol ?? symbol] };
  const symbolMap: SymbolMap = mappedSymbol === null ? {} : { [symbol]: mappedSymbol };
  return { exchange, candidates: candidateSymbols(symbol, { quoteAliases, symbolMap }) };
}
