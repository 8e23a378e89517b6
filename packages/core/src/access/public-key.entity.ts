import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('public_keys')
export class PublicKeyEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  /** Compressed, lower-case hex. */
  @Column({ type: 'text' })
  pubkey!: string;

  @Column({ type: 'text', nullable: true })
  label!: string | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;
}
