import { DecimalColumn } from '@trading-automation/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The part of a lot that a fill closed. The amount is in base currency, the value and the profit in quote currency. */
@Entity('lot_closures')
export class LotClosureEntity {
  @PrimaryColumn({ name: 'fill_id', type: 'uuid' })
  fillId!: string;

  @PrimaryColumn({ name: 'lot_id', type: 'uuid' })
  lotId!: string;

  @Column({ name: 'exchange_account_id', type: 'uuid' })
  exchangeAccountId!: string;

  @Column({ name: 'trade_pair_id', type: 'uuid' })
  tradePairId!: string;

  @Column({ name: 'trade_id', type: 'uuid' })
  tradeId!: string;

  @DecimalColumn()
  amount!: string;

  @Column({ name: 'entry_value', type: 'numeric' })
  entryValue!: string;

  @Column({ type: 'numeric' })
  pnl!: string;

  @Column({ type: 'boolean' })
  detaches!: boolean;

  @Column({ name: 'closed_at', type: 'timestamptz' })
  closedAt!: Date;
}
