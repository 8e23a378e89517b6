import type { Exchange } from '../../engine/exchange.js';
import { type ContractSpec, findContract, markOfTicks } from '../../engine/futures/contracts.js';
import type { FuturesAccount } from '../../engine/futures/futures-account.js';
import type { FuturesExchange } from '../../engine/futures/futures-exchange.js';
import type { Account } from '../../engine/order.js';
import type { FeeRates } from '../../engine/settlement.js';
import { findMarket, quoteUnits } from '../../engine/symbols.js';
import { VENUE_ERRORS } from '../../errors.js';
import type { MarketHistories } from '../../market-data/history.js';
import type { MarkHistories } from '../../market-data/mark-history.js';
import type { Weather } from '../../weather/weather.js';
import type { RateLimits } from '../limits.js';
import { required } from '../params.js';

/** What the futures operations of the venue read and change. */
export interface FuturesContext {
  readonly futures: FuturesExchange;
  readonly fees: FeeRates;
  /** The spot exchange, whose last prices are the index prices. */
  readonly exchange: Exchange;
  readonly histories: MarketHistories;
  readonly spotHistories: MarketHistories;
  readonly markHistories: MarkHistories;
  readonly weather: Weather;
  readonly limits: RateLimits;
  readonly now: () => number;
}

/** @throws VenueError -1102 without a symbol, -1121 for an unknown one */
export function contractParam(params: URLSearchParams, name = 'symbol'): ContractSpec {
  return knownContract(required(params, name));
}

/** Returns the contract that `symbol` names; undefined without `symbol`. @throws VenueError -1121 */
export function optionalContract(params: URLSearchParams): ContractSpec | undefined {
  return params.has('symbol') ? contractParam(params) : undefined;
}

function knownContract(id: string): ContractSpec {
  const spec = findContract(id);
  if (spec === undefined) throw VENUE_ERRORS.invalidSymbol();
  return spec;
}

export function futuresAccountOf({ futures }: FuturesContext, account: Account): FuturesAccount {
  return futures.state.account(account.id);
}

/**
 * Returns the index price in steps of a mark price: the last price on spot, or on the contract while spot has none.
 */
export function indexMarkOf(
  { exchange, futures }: Pick<FuturesContext, 'exchange' | 'futures'>,
  spec: ContractSpec,
): number {
  const spot = findMarket(spec.id);
  const spotTicks = exchange.state.lastTicks.get(spec.id);
  if (spot !== undefined && spotTicks !== undefined)
    return Number(quoteUnits(spot, spotTicks, 10 ** spot.stepDecimals)) / 10 ** spec.stepDecimals;
  const ticks = futures.state.lastTicks.get(spec.id);
  return ticks === undefined ? futures.state.contracts.of(spec.id).mark : markOfTicks(spec, ticks);
}
