import type { EventType, NotificationResource, NotificationSeverity } from '@trading-automation/contracts';
import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

/** A notification of a user about one event. */
@Entity('notifications')
export class NotificationEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ name: 'event_id', type: 'uuid' })
  eventId!: string;

  @Column({ type: 'text' })
  kind!: EventType;

  @Column({ type: 'text' })
  severity!: NotificationSeverity;

  @Column({ type: 'text' })
  title!: string;

  @Column({ type: 'text' })
  body!: string;

  @Column({ type: 'text' })
  resource!: NotificationResource;

  /** The public id of the record. */
  @Column({ name: 'resource_id', type: 'text' })
  resourceId!: string;

  @Column({ name: 'read_at', type: 'timestamptz', nullable: true })
  readAt!: Date | null;

  /** A deleted row is retained, so that its event cannot create another notification. */
  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt!: Date | null;
}
