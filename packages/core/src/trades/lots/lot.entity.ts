import type { TradeSide } from '@trading-automation/contracts';
import { DecimalColumn } from '@trading-automation/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * An open or closed lot; its id is the id of the fill that opened it. Amounts are in base currency, values and profits
 * in quote currency.
 */
@Entity('lots')
export class LotEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ name: 'exchange_account_id', type: 'uuid' })
  exchangeAccountId!: string;

  @Column({ name: 'trade_pair_id', type: 'uuid' })
  tradePairId!: string;

  @Column({ type: 'text' })
  symbol!: string;

  @Column({ name: 'copier_id', type: 'uuid', nullable: true })
  copierId!: string | null;

  @Column({ name: 'strategy_id', type: 'uuid', nullable: true })
  strategyId!: string | null;

  @Column({ name: 'source_trade_id', type: 'uuid', nullable: true })
  sourceTradeId!: string | null;

  @Column({ name: 'trade_id', type: 'uuid' })
  tradeId!: string;

  @Column({ type: 'text' })
  side!: TradeSide;

  @DecimalColumn({ name: 'opened_amount' })
  openedAmount!: string;

  @DecimalColumn({ name: 'open_amount' })
  openAmount!: string;

  @Column({ name: 'opened_value', type: 'numeric' })
  openedValue!: string;

  @Column({ name: 'open_value', type: 'numeric' })
  openValue!: string;

  @Column({ type: 'numeric' })
  pnl!: string;

  @Column({ name: 'is_detached', type: 'boolean' })
  isDetached!: boolean;

  @Column({ name: 'opened_at', type: 'timestamptz' })
  openedAt!: Date;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt!: Date | null;
}
