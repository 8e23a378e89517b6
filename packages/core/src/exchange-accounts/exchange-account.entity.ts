import type { InactiveReason, TradingType } from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';
import type { Loans } from './balance-detail.rules.js';

/**
 * An account at an exchange that a user connected. A removed account keeps its row for the trades that reference it.
 */
@Entity('exchange_accounts')
export class ExchangeAccountEntity extends RecordColumns {
  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  @Column({ type: 'text' })
  exchange!: string;

  @Column({ name: 'account_name', type: 'text' })
  accountName!: string;

  @Column({ name: 'trading_type', type: 'text' })
  tradingType!: TradingType;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;

  /** Why the account is not active. Rows from before this column have none. */
  @Column({ name: 'inactive_reason', type: 'text', nullable: true })
  inactiveReason!: InactiveReason | null;

  /** Null if the exchange does not report it, or if it was not read yet. */
  @Column({ name: 'can_trade', type: 'boolean', nullable: true })
  canTrade!: boolean | null;

  /** Null if the exchange does not report it. */
  @Column({ name: 'can_withdraw', type: 'boolean', nullable: true })
  canWithdraw!: boolean | null;

  /** When the rights of the credentials have to be read again; null: now. */
  @Column({ name: 'rights_due_at', type: 'timestamptz', nullable: true })
  rightsDueAt!: Date | null;

  /** The account's id at the exchange; null if the exchange does not identify accounts. */
  @Column({ name: 'venue_account_id', type: 'text', nullable: true })
  venueAccountId!: string | null;

  /** Whether all trading types at the exchange use one wallet; null if it was not read yet. */
  @Column({ name: 'is_unified', type: 'boolean', nullable: true })
  isUnified!: boolean | null;

  /** The id of the first of the accounts that share one wallet; null for a wallet of its own. */
  @Column({ name: 'wallet_id', type: 'uuid', nullable: true })
  walletId!: string | null;

  /** Sealed secrets that only the trading worker can open; null once the account is removed. */
  @Column({ name: 'credentials_sealed', type: 'text', nullable: true })
  credentialsSealed!: string | null;

  /** The local address from which the account's exchange is called; null until a worker chose one. */
  @Column({ name: 'egress_address', type: 'text', nullable: true })
  egressAddress!: string | null;

  /** The balances by asset; decimals are strings. */
  @Column({ type: 'jsonb' })
  balances!: Balances;

  /** The database's time just before the balances were requested: `balances` includes all changes before it. */
  @Column({ name: 'balances_taken_at', type: 'timestamptz', nullable: true })
  balancesTakenAt!: Date | null;

  /** Margin only: what the account owes, by asset; null until it was read once. */
  @Column({ type: 'jsonb', nullable: true })
  loans!: Loans | null;

  @Column({ name: 'last_sync_at', type: 'timestamptz', nullable: true })
  lastSyncAt!: Date | null;

  /** The last request for a sync. It is outstanding while it is later than `syncServedAt`. */
  @Column({ name: 'sync_requested_at', type: 'timestamptz', nullable: true })
  syncRequestedAt!: Date | null;

  /** Sync requests up to this instant are done: the last balances were requested at it, or the last sync failed. */
  @Column({ name: 'sync_served_at', type: 'timestamptz', nullable: true })
  syncServedAt!: Date | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt!: Date | null;
}
