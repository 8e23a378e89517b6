import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('users')
export class UserEntity extends RecordColumns {
  /** The last verified address; the product sends mail to it. */
  @Column({ type: 'text', nullable: true })
  email!: string | null;

  /** An address that is not verified yet. */
  @Column({ name: 'pending_email', type: 'text', nullable: true })
  pendingEmail!: string | null;

  @Column({ name: 'email_verified_at', type: 'timestamptz', nullable: true })
  emailVerifiedAt!: Date | null;
}
