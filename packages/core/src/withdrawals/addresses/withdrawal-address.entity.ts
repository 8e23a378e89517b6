import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('withdrawal_addresses')
export class WithdrawalAddressEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ type: 'text' })
  address!: string;

  @Column({ type: 'text', nullable: true })
  label!: string | null;

  /** SHA-256 of the code in the mailed link; null if no link was mailed. */
  @Column({ name: 'code_hash', type: 'bytea', nullable: true })
  codeHash!: Buffer | null;

  @Column({ name: 'code_expires_at', type: 'timestamptz', nullable: true })
  codeExpiresAt!: Date | null;

  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true })
  confirmedAt!: Date | null;

  @Column({ name: 'usable_at', type: 'timestamptz', nullable: true })
  usableAt!: Date | null;
}
