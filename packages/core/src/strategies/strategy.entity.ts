import type {
  Decimal,
  ProfitSharePeriod,
  StrategyStatus,
  StrategyVisibility,
} from '@trading-automation/contracts';
import { DecimalColumn, RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('strategies')
export class StrategyEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ name: 'exchange_account_id', type: 'uuid' })
  exchangeAccountId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  /** Null: any pair of the account's exchange. */
  @Column({ name: 'trade_pair_ids', type: 'uuid', array: true, nullable: true })
  tradePairIds!: string[] | null;

  @Column({ type: 'text' })
  visibility!: StrategyVisibility;

  @Column({ type: 'text' })
  status!: StrategyStatus;

  /** Rate and period are both set or both null. */
  @DecimalColumn({ name: 'profit_share_rate', nullable: true })
  profitShareRate!: Decimal | null;

  @Column({ name: 'profit_share_period', type: 'text', nullable: true })
  profitSharePeriod!: ProfitSharePeriod | null;

  @DecimalColumn({ name: 'min_copy_equity', nullable: true })
  minCopyEquity!: Decimal | null;

  /** Maximum number of copiers; null means no limit. */
  @Column({ type: 'integer', nullable: true })
  capacity!: number | null;

  /** Whether copiers of other users may have the sizing mode MULTIPLIER. */
  @Column({ name: 'allow_multiplier', type: 'boolean', default: false })
  allowMultiplier!: boolean;

  /** Set when the strategy is deleted. The row is kept, because trades and copiers reference it. */
  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt!: Date | null;
}
