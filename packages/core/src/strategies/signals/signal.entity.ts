import { DecimalColumn } from '@trading-automation/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Signal } from './signal.js';

/**
 * A stored signal. {@link Signal} describes its amounts, prices and ratio. Reading returns the sequences as strings; see
 * `signals.queries.ts`.
 */
@Entity('signals')
export class SignalEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'strategy_id', type: 'uuid' })
  strategyId!: string;

  @Column({ type: 'bigint' })
  sequence!: number;

  @Column({ type: 'text' })
  kind!: Signal['kind'];

  @Column({ type: 'text' })
  side!: Signal['side'];

  @Column({ name: 'trade_pair_id', type: 'uuid' })
  tradePairId!: string;

  @Column({ type: 'text' })
  symbol!: string;

  @Column({ name: 'trading_type', type: 'text' })
  tradingType!: Signal['tradingType'];

  @Column({ name: 'exchange_account_id', type: 'uuid' })
  exchangeAccountId!: string;

  @Column({ name: 'lot_trade_id', type: 'uuid' })
  lotTradeId!: string;

  @Column({ name: 'lot_first_sequence', type: 'bigint' })
  lotFirstSequence!: number;

  @Column({ name: 'lot_opened_at', type: 'timestamptz' })
  lotOpenedAt!: Date;

  @DecimalColumn({ name: 'lot_order_amount' })
  lotOrderAmount!: string;

  @Column({ name: 'source_trade_id', type: 'uuid' })
  sourceTradeId!: string;

  @Column({ name: 'source_fill_id', type: 'uuid' })
  sourceFillId!: string;

  @DecimalColumn({ name: 'filled_amount' })
  filledAmount!: string;

  @DecimalColumn({ name: 'cumulative_amount' })
  cumulativeAmount!: string;

  @DecimalColumn({ name: 'lot_amount_before' })
  lotAmountBefore!: string;

  @DecimalColumn({ name: 'lot_amount_after' })
  lotAmountAfter!: string;

  @DecimalColumn({ name: 'exit_amount' })
  exitAmount!: string;

  @DecimalColumn({ name: 'reference_price' })
  referencePrice!: string;

  @DecimalColumn({ name: 'leader_equity', nullable: true })
  leaderEquity!: string | null;

  @Column({ name: 'signal_at', type: 'timestamptz' })
  signalAt!: Date;

  @Column({ name: 'leader_ratio', type: 'numeric', nullable: true })
  leaderRatio!: string | null;
}
