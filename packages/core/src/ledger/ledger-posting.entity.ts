import { DecimalColumn } from '@trading-automation/persistence';
import { Entity, PrimaryColumn } from 'typeorm';

/** The amount that an entry adds to an account, or (if negative) takes from the account. */
@Entity('ledger_postings')
export class LedgerPostingEntity {
  @PrimaryColumn({ name: 'entry_id', type: 'uuid' })
  entryId!: string;

  @PrimaryColumn({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @DecimalColumn()
  amount!: string;
}
