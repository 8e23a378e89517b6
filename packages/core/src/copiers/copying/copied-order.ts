/** Builds the trade of a planned copy. */
import {
  DECIMAL_INTEGER_DIGITS,
  DECIMAL_SCALE,
  type Decimal,
  type PositionSide,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { Signal } from '../../strategies/index.js';
import type { NewCopyTrade } from '../../trades/index.js';
import { BigDecimal } from '../../values/index.js';
import type { CopyOrder, CopyPlan } from '../planning/plan.types.js';
import { clientOrderIdOf } from './client-order-id.js';
import type { CopierRow } from './copy-inputs.queries.js';
import { isExit } from './plan-batch.js';
import { reservedAssetOf } from './reserved-asset.js';

interface OrderedCopy {
  readonly signal: Signal;
  readonly copier: CopierRow;
  readonly plan: CopyPlan & { readonly order: CopyOrder };
  /** See `arrivalPriceOf`. */
  readonly arrivalPrice: Decimal | null;
  /** 1 for the first order of a decision, 2 for the next, and so on. The previous order is proven to have ended. */
  readonly attempt: number;
}

/** The largest amount that a column stores. A target amount may be larger, because limits reduce only the order. */
const AMOUNT_MAX = `${'9'.repeat(DECIMAL_INTEGER_DIGITS)}.${'9'.repeat(DECIMAL_SCALE)}`;
const lesser = (a: Decimal, b: Decimal): Decimal => (new BigDecimal(a).gt(b) ? b : a);

export function hasOrder(plan: CopyPlan | null): plan is CopyPlan & { readonly order: CopyOrder } {
  return plan !== null && plan.order !== null;
}

export function tradeOf({ signal, copier, plan, arrivalPrice, attempt }: OrderedCopy): NewCopyTrade {
  const { order } = plan;
  const { lotTradeId, sequence } = signal;
  const pair = copier.pair!;
  const opensLot = new BigDecimal(copier.lotTerms === null ? 0 : copier.sentAmount).isZero();
  return {
    id: newUuid(),
    userId: copier.userId,
    accountId: copier.accountId,
    pairId: pair.id,
    symbol: pair.symbol,
    tradingType: signal.tradingType,
    copierId: copier.id,
    copiedStrategyId: signal.strategyId,
    sourceTradeId: lotTradeId,
    sourceFillId: signal.sourceFillId,
    clientOrderId: clientOrderIdOf({
      copierId: copier.id,
      lotTradeId,
      sequence,
      intent: signal.kind,
      attempt,
    }),
    order,
    reservedAsset: reservedAssetOf(order, pair),
    requestedAmount: lesser(plan.targetAmount, AMOUNT_MAX),
    positionSide: signal.tradingType === 'perpetual' ? positionSideOf(signal) : null,
    intent: isExit(signal) ? signal.kind : opensLot ? 'OPEN' : 'INCREASE',
    copy: {
      signalAt: signal.signalAt,
      receivedAt: signal.emittedAt,
      referencePrice: signal.referencePrice,
      arrivalPrice,
      ratio: ratioOf(plan),
      maskedRatio: plan.lot?.maskedRatio ?? null,
      maskedAmount: plan.maskedTarget,
      sequence,
    },
    resendUntil: resendUntil(signal, plan, copier),
  };
}

/** The side of the lot that the signal changes. */
const positionSideOf = (signal: Pick<Signal, 'kind' | 'side'>): PositionSide =>
  (signal.side === 'BUY') === isExit(signal) ? 'SHORT' : 'LONG';

/** Returns until when the order may be resubmitted: an entry until its signal is too old, an exit at any time. */
function resendUntil(signal: Signal, plan: CopyPlan, copier: CopierRow): Date | 'infinity' {
  if (isExit(signal)) return 'infinity';
  const { maxSignalAgeMs } = plan.lot?.terms ?? copier;
  return new Date(signal.signalAt.getTime() + maxSignalAgeMs);
}

/** Formats the ratio as the trade shows it, with 18 decimal places. */
function ratioOf({ lot }: CopyPlan): string {
  const ratio = lot?.ratio ?? null;
  if (ratio === null) return '0';
  return new BigDecimal(ratio.numerator)
    .div(ratio.denominator)
    .toDecimalPlaces(18, BigDecimal.ROUND_DOWN)
    .toString();
}
