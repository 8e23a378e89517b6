import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

@Entity('users')
export class UserEntity extends RecordColumns {
  @Column({ type: 'text', nullable: true })
  email!: string | null;

  @Column({ name: 'email_verified_at', type: 'timestamptz', nullable: true })
  emailVerifiedAt!: Date | null;
}
