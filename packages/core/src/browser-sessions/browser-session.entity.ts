import type { Permission } from '@trading-automation/contracts';
import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';
import type { Approver } from './approver.queries.js';

@Entity('browser_sessions')
export class BrowserSessionEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  /** Compressed, lower-case hex. */
  @Column({ type: 'text' })
  pubkey!: string;

  @Column({ name: 'client_name', type: 'text' })
  clientName!: string;

  @Column({ type: 'text' })
  address!: string;

  @Column({ type: 'text', array: true })
  permissions!: Permission[];

  @Column({ name: 'ip_allowlist', type: 'text', array: true })
  ipAllowlist!: string[];

  @Column({ name: 'approver_kind', type: 'text' })
  approverKind!: Approver['kind'];

  @Column({ name: 'approver_id', type: 'uuid' })
  approverId!: string;

  /** Since when the holder of the approving credential can use it. */
  @Column({ name: 'approver_issued_at', type: 'timestamptz' })
  approverIssuedAt!: Date;

  @Column({ name: 'approved_at', type: 'timestamptz' })
  approvedAt!: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz' })
  lastUsedAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;
}
