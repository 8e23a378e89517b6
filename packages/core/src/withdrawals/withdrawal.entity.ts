import type { WithdrawalStatus } from '@trading-automation/contracts';
import { DecimalColumn, RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('withdrawals')
export class WithdrawalEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  /** The amount that is held in the ledger, including the fee. */
  @DecimalColumn()
  amount!: string;

  /** The fee at the time of the request. */
  @DecimalColumn()
  fee!: string;

  @Column({ type: 'text' })
  currency!: string;

  @Column({ type: 'text' })
  network!: string;

  @Column({ name: 'wallet_address', type: 'text' })
  walletAddress!: string;

  @Column({ type: 'text' })
  status!: WithdrawalStatus;

  @Column({ name: 'cancelled_at', type: 'timestamptz', nullable: true })
  cancelledAt!: Date | null;
}
