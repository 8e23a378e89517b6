/**
 * Places and ends the orders of copies for the planner and for copiers that stop. Every function takes part in the
 * caller's transaction.
 *
 * 1. The caller chooses the client order id of a copy. It is the same each time the copy is planned and exists before
 *    anything is sent, so planning again places nothing.
 */
import type {
  Decimal,
  TimeInForce,
  Trade,
  TradeIntent,
  TradeSide,
  TradeType,
  TradingType,
} from '@trading-automation/contracts';
import { allColumns, hydrate, queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitTradeEvents } from './store-order-reports.js';
import { type StoredCopy, TradeEntity } from './trade.entity.js';
import { viewTrade } from './trade.view.js';
import { cancelUnsent } from './trade-execution.service.js';
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
  /** The leader's trade, and its fill that is copied. */
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
    /** The amount that it reserves of the free balance, in `reservedAsset`. */
    readonly reserved: Decimal;
  };
  readonly reservedAsset: string;
  readonly requestedAmount: Decimal;
  readonly intent: TradeIntent;
  readonly copy: {
    readonly signalAt: Date;
    readonly receivedAt: Date;
    readonly referencePrice: Decimal;
    readonly ratio: Decimal;
    readonly sequence: number;
  };
  /** Until when it may be sent or resent; `infinity` for exits, null: sent once, at any time. */
  readonly resendUntil: Date | 'infinity' | null;
}

/** Stores the copies that do not exist yet, emits `trade.created`, wakes the workers and returns the new trades. */
export async function placeCopies(tx: Tx, copies: readonly NewCopyTrade[]): Promise<readonly Trade[]> {
  if (copies.length === 0) return [];
  const rows = await queryPrepared(tx, INSERT_COPIES(tx.connection), [FIRST_CHECK_MS, ...columnsOf(copies)]);
  const trades = hydrate(tx.connection, TradeEntity, rows);
  const ordinals = new Map(copies.map(({ id }, ordinal) => [id, ordinal]));
  trades.sort((a, b) => ordinals.get(a.id)! - ordinals.get(b.id)!);
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

const INSERT_COPIES = allColumns(
  TradeEntity,
  't',
  (columns) => `
  INSERT INTO trades AS t (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type,
    copier_id, copied_strategy_id, source_trade_id, source_fill_id, client_order_id, origin, type, side, time_in_force,
    price, amount, requested_amount, reduce_only, intent, is_exit, reserved_asset, reserved_amount, copy, resend_until,
    status, look_at)
  SELECT id, user_id, account_id, pair_id, symbol, trading_type, copier_id, strategy_id, source_trade_id,
    source_fill_id, client_order_id, 'COPIER', type, side, time_in_force, price, amount, requested, reduce_only, intent,
    intent IN ('REDUCE', 'CLOSE'), reserved_asset, reserved, copy, resend_until,
    'PENDING', clock_timestamp() + $1 * interval '1 millisecond'
  FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[],
    $10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::text[], $15::text[], $16::numeric[], $17::numeric[],
    $18::numeric[], $19::bool[], $20::text[], $21::text[], $22::numeric[], $23::jsonb[], $24::timestamptz[])
    AS planned (id, user_id, account_id, pair_id, symbol, trading_type, copier_id, strategy_id, source_trade_id,
      source_fill_id, client_order_id, type, side, time_in_force, price, amount, requested, reduce_only, intent,
      reserved_asset, reserved, copy, resend_until)
  ON CONFLICT (exchange_account_id, client_order_id) DO NOTHING
  RETURNING ${columns}`,
);

function columnsOf(copies: readonly NewCopyTrade[]): unknown[][] {
  return [
    copies.map(({ id }) => id),
    copies.map(({ userId }) => userId),
    copies.map(({ accountId }) => accountId),
    copies.map(({ pairId }) => pairId),
    copies.map(({ symbol }) => symbol),
    copies.map(({ tradingType }) => tradingType),
    copies.map(({ copierId }) => copierId),
    copies.map(({ copiedStrategyId }) => copiedStrategyId),
    copies.map(({ sourceTradeId }) => sourceTradeId),
    copies.map(({ sourceFillId }) => sourceFillId),
    copies.map(({ clientOrderId }) => clientOrderId),
    copies.map(({ order }) => order.type),
    copies.map(({ order }) => order.side),
    copies.map(({ order }) => order.timeInForce),
    copies.map(({ order }) => order.price),
    copies.map(({ order }) => order.amount),
    copies.map(({ requestedAmount }) => requestedAmount),
    copies.map(({ order }) => order.reduceOnly),
    copies.map(({ intent }) => intent),
    copies.map(({ reservedAsset }) => reservedAsset),
    copies.map(({ order }) => order.reserved),
    copies.map(({ copy }) => JSON.stringify(storedCopyOf(copy))),
    copies.map(({ resendUntil }) => resendUntil),
  ];
}

function storedCopyOf({
  signalAt,
  receivedAt,
  referencePrice,
  ratio,
  sequence,
}: NewCopyTrade['copy']): StoredCopy {
  return {
    signal_at: signalAt.toISOString(),
    received_at: receivedAt.toISOString(),
    reference_price: referencePrice,
    ratio,
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
 * Ends the copiers' orders whose submission no worker has claimed, and requests the cancellation of those that are open
 * at the exchange; with `entriesOnly`, exits go on.
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
