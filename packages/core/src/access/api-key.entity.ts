import type { ApiKey, Permission } from '@trading-automation/contracts';
import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('api_keys')
export class ApiKeyEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  prefix!: ApiKey['prefix'];

  @Column({ name: 'last_four', type: 'text' })
  lastFour!: string;

  /** SHA-256 of the key. The key itself is never stored. */
  @Column({ type: 'bytea' })
  hash!: Buffer;

  @Column({ type: 'text', array: true })
  permissions!: Permission[];

  @Column({ name: 'ip_allowlist', type: 'text', array: true })
  ipAllowlist!: string[];

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;
}
