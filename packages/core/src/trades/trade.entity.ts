import type {
  CancelReason,
  Decimal,
  PositionSide,
  TimeInForce,
  TradeIntent,
  TradeOrigin,
  TradeSide,
  TradeStatus,
  TradeSubStatus,
  TradeType,
  TradingType,
} from '@trading-automation/contracts';
import { DecimalColumn, RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

/** The stored data of the signal that a trade copies; decimals and instants are strings. */
export interface StoredCopy {
  readonly signal_at: string;
  readonly received_at: string;
  readonly reference_price: Decimal;
  /** The market price on the account's exchange when the order was planned; null if unknown, absent in old trades. */
  readonly arrival_price?: Decimal | null;
  readonly ratio: Decimal;
  /** The ratio as users other than the strategy's owner may see it; absent in old trades. */
  readonly masked_ratio?: Decimal | null;
  /** The requested amount as users other than the strategy's owner may see it; absent in old trades. */
  readonly masked_amount?: Decimal | null;
  /** The signal's sequence within its strategy. */
  readonly sequence: number;
}

/** A trade: one order and its state. Amounts are in base currency, prices and costs in quote currency. */
@Entity('trades')
export class TradeEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ name: 'exchange_account_id', type: 'uuid' })
  exchangeAccountId!: string;

  @Column({ name: 'trade_pair_id', type: 'uuid' })
  tradePairId!: string;

  @Column({ type: 'text' })
  symbol!: string;

  @Column({ name: 'trading_type', type: 'text' })
  tradingType!: TradingType;

  @Column({ name: 'strategy_id', type: 'uuid', nullable: true })
  strategyId!: string | null;

  @Column({ name: 'copier_id', type: 'uuid', nullable: true })
  copierId!: string | null;

  /** Copies only: the strategy that the trade copies. `strategyId` is set only for the strategy's own trades. */
  @Column({ name: 'copied_strategy_id', type: 'uuid', nullable: true })
  copiedStrategyId!: string | null;

  /** Copies only: the trade that opened the leader's lot. `sourceFillId` is the fill that caused the signal. */
  @Column({ name: 'source_trade_id', type: 'uuid', nullable: true })
  sourceTradeId!: string | null;

  @Column({ name: 'source_fill_id', type: 'uuid', nullable: true })
  sourceFillId!: string | null;

  /** Copies only: the signal that the trade copies. */
  @Column({ type: 'jsonb', nullable: true })
  copy!: StoredCopy | null;

  /**
   * For a copy: whether its user owns the copied strategy. Null for a copy that a release before the leader's privacy
   * stored; it is treated like false.
   */
  @Column({ name: 'copies_own_strategy', type: 'boolean', nullable: true })
  copiesOwnStrategy!: boolean | null;

  /** The lot that the order of its user closes, and the only one. Null for every other order. */
  @Column({ name: 'closes_lot_id', type: 'uuid', nullable: true })
  closesLotId!: string | null;

  @Column({ name: 'client_order_id', type: 'text' })
  clientOrderId!: string;

  /** The client order id as it is sent to the exchange; stored before the order is sent. */
  @Column({ name: 'venue_client_order_id', type: 'text', nullable: true })
  venueClientOrderId!: string | null;

  @Column({ name: 'exchange_order_id', type: 'text', nullable: true })
  exchangeOrderId!: string | null;

  @Column({ type: 'text' })
  origin!: TradeOrigin;

  @Column({ type: 'text' })
  type!: TradeType;

  @Column({ type: 'text' })
  side!: TradeSide;

  /** Null in rows of older releases; the side then determines the intent. */
  @Column({ type: 'text', nullable: true })
  intent!: TradeIntent | null;

  /** Perpetuals only: the side of the position that the order changes. */
  @Column({ name: 'position_side', type: 'text', nullable: true })
  positionSide!: PositionSide | null;

  /**
   * Whether the order is sent before entries: an exit, but not a sale by the user for which an older unsent order of the user on
   * the pair must be sent first.
   */
  @Column({ name: 'is_exit', type: 'boolean' })
  isExit!: boolean;

  @Column({ name: 'reduce_only', type: 'boolean' })
  reduceOnly!: boolean;

  /** Margin only: whether the exchange lends what the order lacks. */
  @Column({ name: 'auto_borrow', type: 'boolean', default: false })
  autoBorrow!: boolean;

  /** Margin only: whether the exchange uses what the order receives to repay a loan. */
  @Column({ name: 'auto_repay', type: 'boolean', default: false })
  autoRepay!: boolean;

  @Column({ name: 'time_in_force', type: 'text' })
  timeInForce!: TimeInForce;

  @DecimalColumn({ nullable: true })
  price!: string | null;

  @DecimalColumn({ name: 'stop_price', nullable: true })
  stopPrice!: string | null;

  @DecimalColumn()
  amount!: string;

  /** The amount before rounding to the amount step. Null in rows of older releases; it then equals `amount`. */
  @DecimalColumn({ name: 'requested_amount', nullable: true })
  requestedAmount!: string | null;

  /** What was sent of an order that closes a lot, if less than `amount` was left of the lot; null for other orders. */
  @DecimalColumn({ name: 'capped_amount', nullable: true })
  cappedAmount!: string | null;

  @DecimalColumn({ name: 'filled_amount', default: '0' })
  filledAmount!: string;

  /** Sum of price × amount over the fills. */
  @DecimalColumn({ default: '0' })
  cost!: string;

  /** The fees of the fills, summed by currency; the currency with the most fills comes first. */
  @Column({ type: 'jsonb' })
  fees!: readonly { readonly amount: Decimal; readonly currency: string }[];

  @DecimalColumn({ name: 'realized_pnl', nullable: true })
  realizedPnl!: string | null;

  /** The asset that the order spends. `reservedAmount` is how much of it the order may spend, estimated in advance. */
  @Column({ name: 'reserved_asset', type: 'text' })
  reservedAsset!: string;

  @DecimalColumn({ name: 'reserved_amount' })
  reservedAmount!: string;

  @Column({ type: 'text' })
  status!: TradeStatus;

  @Column({ name: 'sub_status', type: 'text', nullable: true })
  subStatus!: TradeSubStatus | null;

  @Column({ name: 'failure_code', type: 'text', nullable: true })
  failureCode!: string | null;

  @Column({ name: 'failure_message', type: 'text', nullable: true })
  failureMessage!: string | null;

  @Column({ name: 'cancel_reason', type: 'text', nullable: true })
  cancelReason!: CancelReason | null;

  @Column({ type: 'integer' })
  version!: number;

  /** The number of consecutive probes that found no order. */
  @Column({ type: 'integer' })
  probes!: number;

  /** When the first of consecutive readings that did not show the order in the exchange's lists was stored. */
  @Column({ name: 'unlisted_at', type: 'timestamptz', nullable: true })
  unlistedAt!: Date | null;

  /** When the next check of the open trade is due. */
  @Column({ name: 'look_at', type: 'timestamptz' })
  nextCheckAt!: Date;

  /** Strategy trades only: the equity of the strategy's account when the order was sent, in quote currency. */
  @DecimalColumn({ name: 'leader_equity', nullable: true })
  leaderEquity!: string | null;

  /**
   * The instant until which the order may be submitted or resubmitted. Null for a user's own order, which is sent
   * once, at any time. Not selected by default.
   */
  @Column({ name: 'resend_until', type: 'timestamptz', nullable: true, select: false })
  resendUntil?: Date | 'infinity' | null;

  /** When reconciliation last corrected or created the trade. */
  @Column({ name: 'reconciled_at', type: 'timestamptz', nullable: true })
  reconciledAt!: Date | null;

  /** Set before the order is sent. Reset to null only if the order may be resubmitted and is not at the exchange. */
  @Column({ name: 'submitted_at', type: 'timestamptz', nullable: true })
  submittedAt!: Date | null;

  /** Set once the exchange has reported the order. */
  @Column({ name: 'acknowledged_at', type: 'timestamptz', nullable: true })
  acknowledgedAt!: Date | null;

  /** When the exchange accepted the order, by its clock. Null until it reports that, and in rows of older releases. */
  @Column({ name: 'venue_accepted_at', type: 'timestamptz', nullable: true })
  venueAcceptedAt!: Date | null;

  @Column({ name: 'filled_at', type: 'timestamptz', nullable: true })
  filledAt!: Date | null;

  @Column({ name: 'cancelled_at', type: 'timestamptz', nullable: true })
  cancelledAt!: Date | null;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt!: Date | null;
}
