import { DecimalColumn, RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

/**
 * A fill that the exchange reported or that a write-off recorded. The amount is in base currency, the price in quote
 * currency.
 */
@Entity('fills')
export class FillEntity extends RecordColumns {
  @Column({ name: 'trade_id', type: 'uuid' })
  tradeId!: string;

  @Column({ name: 'exchange_account_id', type: 'uuid' })
  exchangeAccountId!: string;

  @Column({ type: 'text' })
  symbol!: string;

  @Column({ name: 'exchange_fill_id', type: 'text' })
  exchangeFillId!: string;

  @DecimalColumn()
  price!: string;

  @DecimalColumn()
  amount!: string;

  @DecimalColumn({ name: 'fee_amount' })
  feeAmount!: string;

  @Column({ name: 'fee_currency', type: 'text' })
  feeCurrency!: string;

  /**
   * The value of the fee in quote currency, if it was paid neither in base nor in quote currency. Null otherwise, and until
   * a price is known.
   */
  @DecimalColumn({ name: 'fee_value', nullable: true })
  feeValue!: string | null;

  @Column({ type: 'text' })
  liquidity!: 'MAKER' | 'TAKER';

  @Column({ name: 'executed_at', type: 'timestamptz' })
  executedAt!: Date;
}
