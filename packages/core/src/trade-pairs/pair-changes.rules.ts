/**
 * Compares the stored pairs of an exchange with its current list.
 *
 * 1. A pair that the exchange pauses keeps its id and becomes active again. So does a delisted pair that returns
 *    unchanged.
 * 2. If a symbol names another market than before, the old pair is replaced: it is inactive for ever, and the symbol
 *    belongs to a new pair. Amounts of the two are not comparable, so lots of the old pair must not be closed by orders
 *    on the new one.
 * 3. Each user is notified once. Who holds something is notified when the pair becomes inactive; who only names the pair
 *    is notified when it does not return.
 */
import type { Decimal, PairInactiveReason, TradingType } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** A stored pair that is not replaced. */
export interface ListedPair {
  readonly id: string;
  readonly symbol: string;
  readonly tradingType: TradingType;
  /** Empty if it is unknown. */
  readonly exchangeSymbol: string;
  /** Null if it is unknown or the market has none. */
  readonly contractSize: Decimal | null;
  readonly isActive: boolean;
  readonly inactiveReason: PairInactiveReason | null;
}

/** A pair that became inactive, and which of its users were not notified yet. */
export interface Deactivation {
  readonly pairId: string;
  readonly recipients: Recipients;
}
/** HOLDERS have open lots or orders on the pair; NAMERS name it in a strategy or copier. */
export type Recipients = 'HOLDERS' | 'HOLDERS_AND_NAMERS' | 'NAMERS_WITHOUT_HOLDINGS';

export interface PairChanges {
  /** Ids of the pairs that the exchange no longer lists. */
  readonly delisted: readonly string[];
  /** Ids of the pairs whose symbol names another market now. */
  readonly replaced: readonly string[];
  readonly deactivated: readonly Deactivation[];
}

/** What identifies a market of the exchange's list, and whether it is traded. */
export interface ListedMarket {
  readonly symbol: string;
  readonly tradingType: TradingType;
  readonly exchangeSymbol: string;
  /** Undefined if the market has none. */
  readonly contractSize?: Decimal | undefined;
  readonly isActive: boolean;
}

export function pairChanges(pairs: readonly ListedPair[], markets: readonly ListedMarket[]): PairChanges {
  const listed = new Map(markets.map((market) => [keyOf(market), market]));
  const found = pairs.map((pair) => ({ pair, reason: inactiveReasonOf(pair, listed.get(keyOf(pair))) }));
  const idsWith = (wanted: PairInactiveReason) =>
    found.filter(({ reason }) => reason === wanted).map(({ pair }) => pair.id);
  return {
    delisted: idsWith('DELISTED'),
    replaced: idsWith('REPLACED'),
    deactivated: found.flatMap(({ pair, reason }) => {
      const recipients = recipientsOf(pair, reason);
      return recipients === null ? [] : [{ pairId: pair.id, recipients }];
    }),
  };
}

const keyOf = ({ tradingType, symbol }: Pick<ListedMarket, 'tradingType' | 'symbol'>) =>
  `${tradingType} ${symbol}`;

/** Returns why the pair is inactive now; null if it is active. */
function inactiveReasonOf(pair: ListedPair, market: ListedMarket | undefined): PairInactiveReason | null {
  if (market === undefined) return 'DELISTED';
  if (isOtherMarket(pair, market)) return 'REPLACED';
  return market.isActive ? null : 'PAUSED';
}

function isOtherMarket(pair: ListedPair, market: ListedMarket): boolean {
  if (pair.exchangeSymbol !== '' && pair.exchangeSymbol !== market.exchangeSymbol) return true;
  if (pair.contractSize === null || market.contractSize === undefined) return false;
  return !new BigDecimal(pair.contractSize).eq(market.contractSize);
}

/** Returns who has to be notified; null if the pair is active, or everybody was notified before. */
function recipientsOf(pair: ListedPair, reason: PairInactiveReason | null): Recipients | null {
  if (reason === null) return null;
  if (reason === 'PAUSED') return pair.isActive ? 'HOLDERS' : null;
  if (pair.isActive) return 'HOLDERS_AND_NAMERS';
  return pair.inactiveReason === 'PAUSED' ? 'NAMERS_WITHOUT_HOLDINGS' : null;
}
