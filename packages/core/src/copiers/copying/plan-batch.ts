/**
 * Plans one signal for many copiers, in input order. What a copy reserves reduces the free balance that later copiers
 * of the same account see. Pure.
 */
import type { CopierStatus, Decimal, TradeSide } from '@trading-automation/contracts';
import type { FreeBalances } from '../../trades/index.js';
import { BigDecimal } from '../../values/index.js';
import type { OfferedPair } from '../offered-pairs.queries.js';
import { drawdownPercentOf } from '../planning/drawdown.rules.js';
import { arrivalPriceOf, perfectAmountOf } from '../planning/perfect-copy.rules.js';
import { planCopy } from '../planning/plan.rules.js';
import type {
  CopiedLotState,
  CopyAccount,
  CopyInput,
  CopyOrder,
  CopyPlan,
  PerpetualAccount,
  PlannedSignal,
} from '../planning/plan.types.js';
import { copyPairOf, termsOf } from '../planning/planned-signal.js';
import type { CopierHoldings, CopierRow } from './copy-inputs.queries.js';
import { exposureKey, type PerpetualExposure } from './perpetual-accounts.queries.js';
import { reservedAssetOf } from './reserved-asset.js';

export interface CopyCandidate {
  readonly copier: CopierRow;
  readonly holdings: CopierHoldings;
  /** The account's equity in the pair's quote currency; null if unknown or too old. */
  readonly equity: Decimal | null;
}

export interface PlannedCopy {
  readonly candidate: CopyCandidate;
  /** Null for an exit that waits until orders of the same lot end, or until the account is active again. */
  readonly plan: CopyPlan | null;
  /** See `perfectAmountOf`. */
  readonly perfectAmount: Decimal | null;
  /** See `arrivalPriceOf`. */
  readonly arrivalPrice: Decimal | null;
}

const WAITING = { plan: null, perfectAmount: null, arrivalPrice: null };

/** By `bookKey`. */
export type BookMids = ReadonlyMap<string, Decimal | null>;

/** Identifies the order book of a pair. */
export const bookKey = ({
  exchange,
  symbol,
}: {
  readonly exchange: string;
  readonly symbol: string;
}): string => `${exchange} ${symbol}`;

export interface PlanningContext {
  readonly signal: PlannedSignal;
  readonly now: Date;
  /** May be below zero; the margin that an exit frees covers this first. */
  readonly free: FreeBalances;
  /** Perpetuals only: the exposures by `exposureKey`. */
  readonly exposures: ReadonlyMap<string, PerpetualExposure>;
  /**
   * The balances that may be understated, as `<account> <asset>`, because it is unknown whether the exchange has the
   * account's sales.
   */
  readonly understated: ReadonlySet<string>;
  /** The middle of each pair's order book, by `bookKey`; null or absent if no recent book is known. Only entries need it. */
  readonly bookMids: BookMids;
  /** Whether to plan the signal even if it was emitted while the copier was paused. */
  readonly ignoresPause: boolean;
}

export function planBatch(
  candidates: readonly CopyCandidate[],
  { signal, now, free, exposures, understated, bookMids, ignoresPause }: PlanningContext,
): PlannedCopy[] {
  const reservedSoFar = new Map<string, BigDecimal>();
  const ordered = new OrderedSoFar();
  return candidates.map((candidate) => {
    const { copier } = candidate;
    const ignoresSignal =
      copier.status === 'PAUSED' || (signal.sequence <= copier.resumedSequence && !ignoresPause);
    if (!ignoresSignal && isExit(signal) && mustWait(candidate)) return { candidate, ...WAITING };
    const { pair } = copier;
    const freeOf = (asset: string | undefined, released: Decimal = '0'): Decimal => {
      const known = asset === undefined ? undefined : free.get(copier.accountId)?.get(asset);
      const left = new BigDecimal(known ?? '0')
        .plus(released)
        .minus(reservedSoFar.get(`${copier.walletId}/${asset}`) ?? 0);
      return BigDecimal.max(0, left).toString();
    };
    const exposure =
      pair === null
        ? undefined
        : exposures.get(exposureKey({ accountId: copier.accountId, pairId: pair.id }));
    const account = {
      freeBase: freeOf(pair?.base),
      freeQuote: freeOf(pair?.quote, exposure?.released),
      perpetual:
        pair === null || exposure === undefined
          ? undefined
          : ordered.perpetualOf(copier.accountId, pair, exposure, signal.side),
    };
    const status = ignoresSignal ? 'PAUSED' : copier.status;
    const bookMid = pair === null ? null : (bookMids.get(bookKey(pair)) ?? null);
    const input = inputOf(candidate, status, account, { signal, now, bookMid });
    const plan = planCopy(input);
    const isShort = plan.code === 'INSUFFICIENT_BALANCE';
    if (isShort && isExit(signal) && understated.has(`${copier.accountId} ${pair?.base}`))
      return { candidate, ...WAITING };
    if (plan.order !== null && pair !== null) {
      const key = `${copier.walletId}/${reservedAssetOf(plan.order, pair)}`;
      const markPrice = account.perpetual?.markPrice ?? plan.order.price;
      ordered.add(copier.accountId, pair, { ...plan.order, price: markPrice }, signal);
      reservedSoFar.set(key, (reservedSoFar.get(key) ?? new BigDecimal(0)).plus(plan.order.reserved));
    }
    const perfectAmount = perfectAmountOf(input, plan);
    return { candidate, plan, perfectAmount, arrivalPrice: arrivalPriceOf(input) };
  });
}

/** The orders of a batch on perpetuals. They change the exposure that later copiers of their account see. */
class OrderedSoFar {
  /** What exits take of the account's position in a pair, by `exposureKey`. */
  private readonly exiting = new Map<string, BigDecimal>();
  /** The notional of entries, by account. */
  private readonly entering = new Map<string, BigDecimal>();

  perpetualOf(
    accountId: string,
    pair: OfferedPair,
    exposure: PerpetualExposure,
    side: TradeSide,
  ): PerpetualAccount {
    const net = new BigDecimal(exposure.net);
    const exiting = this.exiting.get(exposureKey({ accountId, pairId: pair.id })) ?? 0;
    const reducing = new BigDecimal(side === 'BUY' ? exposure.buying : exposure.selling).plus(exiting);
    const left = BigDecimal.max(0, net.abs().minus(reducing));
    const isAgainst = side === 'BUY' ? net.lt(0) : net.gt(0);
    return {
      netPosition: (isAgainst ? left.times(net.s ?? 1) : net).toString(),
      leverage: exposure.leverage,
      markPrice: exposure.markPrice,
      notional: new BigDecimal(exposure.notional).plus(this.entering.get(accountId) ?? 0).toString(),
      marginRatio: exposure.marginRatio,
    };
  }

  /** @param order - its price is the one at which its notional counts */
  add(
    accountId: string,
    pair: OfferedPair,
    { amount, price }: Pick<CopyOrder, 'amount' | 'price'>,
    signal: PlannedSignal,
  ): void {
    if (pair.tradingType !== 'perpetual') return;
    const key = exposureKey({ accountId, pairId: pair.id });
    if (isExit(signal)) this.exiting.set(key, new BigDecimal(this.exiting.get(key) ?? 0).plus(amount));
    else {
      const notional = new BigDecimal(amount).times(price ?? 0);
      this.entering.set(accountId, notional.plus(this.entering.get(accountId) ?? 0));
    }
  }
}

export const isExit = ({ kind }: Pick<PlannedSignal, 'kind'>): boolean =>
  kind === 'REDUCE' || kind === 'CLOSE';

/**
 * Returns true if the exit must wait. Its amount depends on earlier orders of the lot that are in flight, and an exit
 * must not be lost because its account is inactive.
 */
function mustWait({ copier, holdings }: CopyCandidate): boolean {
  if (copier.lotTerms === null) return false;
  if (holdings.hasOrdersInFlight) return true;
  return !copier.isAccountActive && new BigDecimal(holdings.heldAmount).gt(0);
}

function inputOf(
  { copier, holdings, equity }: CopyCandidate,
  status: CopierStatus,
  free: Pick<CopyAccount, 'freeBase' | 'freeQuote' | 'perpetual'>,
  { signal, now, bookMid }: Pick<CopyInput, 'signal' | 'now' | 'bookMid'>,
): CopyInput {
  return {
    signal,
    now,
    bookMid,
    copier: {
      id: copier.id,
      status,
      masksAmounts: !copier.isOwnStrategy,
      maskedPendingAmount: holdings.maskedPendingAmount,
      terms: termsOf(copier),
      startedAt: copier.startedAt,
      startedSequence: copier.startedSequence,
      lot: lotOf(copier, holdings),
      dayLossQuote: holdings.dayLossQuote,
      drawdownPercent:
        copier.maxDrawdownPercent === null
          ? null
          : drawdownPercentOf({
              drawdownQuote: holdings.drawdownQuote,
              equity,
              capital: copier.sizingCapital,
            }),
      openLotCount: holdings.openLotCount,
      openQuote: holdings.openQuote,
    },
    account: {
      isActive: copier.isAccountActive,
      ...free,
      equity,
      pair: copier.pair && copyPairOf(copier.pair),
    },
  };
}

function lotOf(copier: CopierRow, { heldAmount }: CopierHoldings): CopiedLotState | null {
  if (copier.lotTerms === null) return null;
  const { ratioNumerator: numerator, ratioDenominator: denominator } = copier;
  return {
    ratio: numerator === null || denominator === null ? null : { numerator, denominator },
    maskedRatio: copier.maskedRatio,
    terms: copier.lotTerms,
    sentAmount: copier.sentAmount,
    sentQuote: copier.sentQuote,
    forgoneAmount: copier.forgoneAmount,
    maskedForgone: copier.maskedForgone,
    seenAmount: copier.seenAmount,
    owedAmount: copier.owedAmount,
    heldAmount,
  };
}
