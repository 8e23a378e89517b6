import type { DeactivationReason } from '@trading-automation/contracts';
import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('webhooks')
export class WebhookEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ type: 'text' })
  url!: string;

  @Column({ type: 'text', array: true })
  events!: string[];

  @Column({ type: 'text' })
  description!: string;

  /** The secret, sealed to the dispatcher's key with the context `webhook/<id>`; deleted with the webhook. */
  @Column({ name: 'secret_sealed', type: 'text', nullable: true })
  secretSealed!: string | null;

  @Column({ name: 'secret_last_rotated_at', type: 'timestamptz' })
  secretLastRotatedAt!: Date;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;

  /** The number of failed attempts of all deliveries since the last success. */
  @Column({ name: 'consecutive_failures', type: 'integer' })
  consecutiveFailures!: number;

  /** How many of `consecutiveFailures` were the last attempt of a delivery. */
  @Column({ name: 'consecutive_dead_letters', type: 'integer' })
  consecutiveDeadLetters!: number;

  @Column({ name: 'deactivated_at', type: 'timestamptz', nullable: true })
  deactivatedAt!: Date | null;

  @Column({ name: 'deactivation_reason', type: 'text', nullable: true })
  deactivationReason!: DeactivationReason | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt!: Date | null;
}
