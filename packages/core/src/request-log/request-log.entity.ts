import type { CredentialKind, LoggedMethod } from '@trading-automation/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('request_log')
export class RequestLogEntity {
  /** The partition of the day on which the request arrived. */
  @PrimaryColumn('smallint')
  slot!: number;

  @PrimaryColumn('uuid')
  id!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ name: 'credential_kind', type: 'text' })
  credentialKind!: CredentialKind;

  @Column({ name: 'credential_id', type: 'uuid' })
  credentialId!: string;

  @Column({ type: 'text' })
  method!: LoggedMethod;

  @Column({ type: 'text' })
  route!: string;

  @Column({ type: 'smallint' })
  status!: number;

  @Column({ name: 'duration_ms', type: 'integer' })
  durationMs!: number;

  @Column({ name: 'request_id', type: 'text' })
  requestId!: string;

  @Column({ type: 'text' })
  address!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
