import type {
  BelowMinimumRule,
  BreachReaction,
  CopierOverrides,
  CopierStatus,
  CopierStatusReason,
  Decimal,
  QuoteAliases,
  SizingMode,
  SymbolMap,
  TradeSide,
} from '@trading-automation/contracts';
import { DecimalColumn, RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';
import type { LotDrift } from './copying/lot-drift.js';

@Entity('copiers')
export class CopierEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ name: 'strategy_id', type: 'uuid', nullable: true })
  strategyId!: string | null;

  @Column({ name: 'exchange_account_id', type: 'uuid' })
  exchangeAccountId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  status!: CopierStatus;

  @Column({ name: 'status_reason', type: 'text', nullable: true })
  statusReason!: CopierStatusReason | null;

  @Column({ name: 'sizing_mode', type: 'text' })
  sizingMode!: SizingMode;

  @DecimalColumn({ name: 'sizing_value' })
  sizingValue!: Decimal;

  @DecimalColumn({ name: 'sizing_capital', nullable: true })
  sizingCapital!: Decimal | null;

  @DecimalColumn({ name: 'max_trade_quote', nullable: true })
  maxTradeQuote!: Decimal | null;

  @DecimalColumn({ name: 'max_open_quote', nullable: true })
  maxOpenQuote!: Decimal | null;

  @Column({ name: 'max_open_trades', type: 'integer', nullable: true })
  maxOpenTrades!: number | null;

  @DecimalColumn({ name: 'max_daily_loss_quote', nullable: true })
  maxDailyLossQuote!: Decimal | null;

  @DecimalColumn({ name: 'max_drawdown_percent', nullable: true })
  maxDrawdownPercent!: Decimal | null;

  @Column({ name: 'max_slippage_bps', type: 'integer', nullable: true })
  maxSlippageBps!: number | null;

  @Column({ name: 'max_signal_age_ms', type: 'integer' })
  maxSignalAgeMs!: number;

  @DecimalColumn({ name: 'max_leverage', nullable: true })
  maxLeverage!: Decimal | null;

  @DecimalColumn({ name: 'min_margin_ratio', nullable: true })
  minMarginRatio!: Decimal | null;

  @Column({ name: 'allowed_pairs', type: 'text', array: true, nullable: true })
  allowedPairs!: string[] | null;

  @Column({ name: 'blocked_pairs', type: 'text', array: true, nullable: true })
  blockedPairs!: string[] | null;

  @Column({ name: 'allowed_sides', type: 'text', array: true, nullable: true })
  allowedSides!: TradeSide[] | null;

  @Column({ name: 'quote_aliases', type: 'jsonb', default: [] })
  quoteAliases!: QuoteAliases;

  @Column({ name: 'symbol_map', type: 'jsonb', default: {} })
  symbolMap!: SymbolMap;

  @Column({ type: 'jsonb', default: {} })
  overrides!: CopierOverrides;

  @Column({ name: 'on_breach', type: 'text' })
  onBreach!: BreachReaction;

  @Column({ name: 'below_minimum', type: 'text' })
  belowMinimum!: BelowMinimumRule;

  @Column({ name: 'copy_existing', type: 'boolean' })
  copyExisting!: boolean;

  /** Profit is shared only above this mark. Stops and starts do not change it. */
  @DecimalColumn({ name: 'high_water_mark', default: '0' })
  highWaterMark!: Decimal;

  /** Time of the latest start, by the database's clock. */
  @Column({ name: 'started_at', type: 'timestamptz', nullable: true })
  startedAt!: Date | null;

  /** The strategy's last sequence when the copier first followed it, as a string; null if it never did. */
  @Column({ name: 'followed_sequence', type: 'bigint', nullable: true })
  followedSequence!: string | null;

  /**
   * The watermark: the strategy's last sequence at the copier's latest start. Lots that began by then are copied only
   * if the start asked for it.
   */
  @Column({ name: 'started_sequence', type: 'bigint', default: '0' })
  startedSequence!: string;

  /**
   * The strategy's last sequence when a pause last ended. The copier skips the signals up to it, even those that it
   * plans only after the pause.
   */
  @Column({ name: 'resumed_sequence', type: 'bigint', default: '0' })
  resumedSequence!: string;

  /** What the copier still holds of lots that its strategy reduced or closed during the last pause. */
  @Column({ type: 'jsonb', default: [] })
  drift!: readonly LotDrift[];

  @Column({ name: 'stopped_at', type: 'timestamptz', nullable: true })
  stoppedAt!: Date | null;

  /** Deleted copiers keep their row, because trades refer to it. */
  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt!: Date | null;
}
