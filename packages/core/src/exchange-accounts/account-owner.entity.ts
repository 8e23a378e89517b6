import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The worker that owns an account. The fence increases with each claim. */
@Entity('account_owners')
export class AccountOwnerEntity {
  @PrimaryColumn({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ type: 'text', nullable: true })
  worker!: string | null;

  @Column({ type: 'bigint' })
  fence!: number;
}
