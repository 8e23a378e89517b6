/**
 * Places the orders of copies for the planner, and cancels them when a copier stops. Every function runs in the
 * caller's transaction.
 *
 * The caller chooses the client order id of a copy. The id is the same each time the copy is planned, and is stored
 * before the order is sent. Planning a copy again therefore places no second order.
 */
import type {
  Decimal,
  PositionSide,
  TimeInForce,
  Trade,
  TradeIntent,
  TradeSide,
  TradeType,
  TradingType,
} from '@trading-automation/contracts';
import {
  allColumns,
  allProperties,
  hydrate,
  insertMany,
  queryPrepared,
  type Tx,
} from '@trading-automation/persistence';
import { emitTradeEvents } from './store-order-reports.js';
import { type StoredCopy, TradeEntity } from './trade.entity.js';
import { viewTrade } from './trade.view.js';
import { cancelUnsent } from './trade-changes.js';
import { FIRST_CHECK_MS, notifyAccountWork, requestCancellations } from './trades.queries.js';

/** A planned order of a copy; ids are uuids. */
export interface NewCopyTrade {
  readonly id: string;
  readonly userId: string;
  readonly accountId: string;
  readonly pairId: string;
  readonly symbol: string;
  readonly tradingType: TradingType;
  readonly copierId: string;
  readonly copiedStrategyId: string;
  /** The trade that opened the leader's lot. `sourceFillId` is the fill that caused the signal. */
  readonly sourceTradeId: string;
  readonly sourceFillId: string | null;
  readonly clientOrderId: string;
  readonly order: {
    readonly type: TradeType;
    readonly side: TradeSide;
    readonly timeInForce: TimeInForce;
    readonly price: Decimal | null;
    readonly amount: Decimal;
    readonly reduceOnly: boolean;
    /** The amount of `reservedAsset` that the order takes out of the free balance. */
    readonly reserved: Decimal;
  };
  readonly reservedAsset: string;
  readonly requestedAmount: Decimal;
  readonly intent: TradeIntent;
  /** Perpetuals only. */
  readonly positionSide: PositionSide | null;
  readonly copy: {
    readonly signalAt: Date;
    readonly receivedAt: Date;
    readonly referencePrice: Decimal;
    /** The market price on the account's exchange when the order was planned; null if unknown. */
    readonly arrivalPrice: Decimal | null;
    readonly ratio: Decimal;
    /** The ratio as users other than the strategy's owner may see it; null if only `ratio` is known. */
    readonly maskedRatio: Decimal | null;
    readonly maskedAmount: Decimal | null;
    readonly sequence: number;
  };
  /**
   * The instant until which the order may be submitted or resubmitted; `infinity` for exits. If it is null, the order
   * is sent once, at any time.
   */
  readonly resendUntil: Date | 'infinity' | null;
}

/** Stores the copies that do not exist yet, emits `trade.created`, wakes the workers and returns the new trades. */
export async function placeCopies(tx: Tx, copies: readonly NewCopyTrade[]): Promise<readonly Trade[]> {
  if (copies.length === 0) return [];
  const trades = await insertMany(tx, TradeEntity, copies.map(tradeOf), {
    skipConflictsOn: ['exchangeAccountId', 'clientOrderId'],
    computed: {
      nextCheckAt: `clock_timestamp() + ${FIRST_CHECK_MS} * interval '1 millisecond'`,
      copiesOwnStrategy:
        '(SELECT st.user_id = given."userId" FROM strategies st WHERE st.id = given."copiedStrategyId")',
    },
    returning: allProperties(tx, TradeEntity),
  });
  await emitTradeEvents(
    tx,
    trades.map((trade) => ({ trade, type: 'trade.created' })),
  );
  await notifyAccountWork(
    tx,
    trades.map(({ exchangeAccountId }) => exchangeAccountId),
  );
  return trades.map(viewTrade);
}

function tradeOf(planned: NewCopyTrade) {
  const { order, intent } = planned;
  return {
    id: planned.id,
    userId: planned.userId,
    exchangeAccountId: planned.accountId,
    tradePairId: planned.pairId,
    symbol: planned.symbol,
    tradingType: planned.tradingType,
    copierId: planned.copierId,
    copiedStrategyId: planned.copiedStrategyId,
    sourceTradeId: planned.sourceTradeId,
    sourceFillId: planned.sourceFillId,
    clientOrderId: planned.clientOrderId,
    origin: 'COPIER' as const,
    type: order.type,
    side: order.side,
    timeInForce: order.timeInForce,
    price: order.price,
    amount: order.amount,
    requestedAmount: planned.requestedAmount,
    reduceOnly: order.reduceOnly,
    intent,
    positionSide: planned.positionSide,
    autoRepay: planned.tradingType === 'margin' && (intent === 'REDUCE' || intent === 'CLOSE'),
    isExit: intent === 'REDUCE' || intent === 'CLOSE',
    reservedAsset: planned.reservedAsset,
    reservedAmount: order.reserved,
    copy: storedCopyOf(planned.copy),
    resendUntil: planned.resendUntil,
    status: 'PENDING' as const,
  };
}

function storedCopyOf({
  signalAt,
  receivedAt,
  referencePrice,
  arrivalPrice,
  ratio,
  maskedRatio,
  maskedAmount,
  sequence,
}: NewCopyTrade['copy']): StoredCopy {
  return {
    signal_at: signalAt.toISOString(),
    received_at: receivedAt.toISOString(),
    reference_price: referencePrice,
    arrival_price: arrivalPrice,
    ratio,
    masked_ratio: maskedRatio,
    masked_amount: maskedAmount,
    sequence,
  };
}

const LOCK_OPEN = allColumns(
  TradeEntity,
  't',
  (columns) => `
  SELECT ${columns} FROM trades t
  WHERE copier_id = ANY ($1) AND status IN ('PENDING', 'PARTIALLY_FILLED') AND NOT (is_exit AND $2)
  ORDER BY id FOR NO KEY UPDATE`,
);

/**
 * Ends the copiers' open orders. An order whose submission no worker has claimed ends at once; for any other order the
 * cancellation is requested. With `entriesOnly`, exit orders stay open.
 */
export async function cancelCopies(
  tx: Tx,
  copierIds: string | readonly string[],
  { entriesOnly = false }: { readonly entriesOnly?: boolean } = {},
): Promise<void> {
  const rows = await queryPrepared(tx, LOCK_OPEN(tx.connection), [[copierIds].flat(), entriesOnly]);
  const trades = hydrate(tx.connection, TradeEntity, rows);
  const isSent = ({ submittedAt }: TradeEntity) => submittedAt !== null;
  await cancelUnsent(
    tx,
    trades.filter((trade) => !isSent(trade)),
  );
  const sent = trades.filter(isSent);
  if (sent.length === 0) return;
  await requestCancellations(
    tx,
    sent.map(({ id }) => id),
  );
  await notifyAccountWork(
    tx,
    sent.map(({ exchangeAccountId }) => exchangeAccountId),
  );
}
