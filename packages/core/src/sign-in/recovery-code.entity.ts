import { Entity, PrimaryColumn } from 'typeorm';

/** An unused recovery code of the second factor. */
@Entity('recovery_codes')
export class RecoveryCodeEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @PrimaryColumn({ type: 'bytea' })
  hash!: Uint8Array;
}
