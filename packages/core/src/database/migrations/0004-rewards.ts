import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of the ledger of reward tokens, of rewards and their types, and of withdrawals. */
export class Rewards1763700000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...LEDGER_TABLES, ...LEDGER_LAWS, ...REWARDS, ...WITHDRAWALS])
      await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

const LEDGER_TABLES = [
  // Only users' accounts store a balance. A system account's balance would be one row for which every claim waits.
  `CREATE TABLE ledger_accounts (
     id uuid PRIMARY KEY,
     user_id uuid REFERENCES users,
     kind text NOT NULL CHECK (kind IN ('available', 'held', 'issuance', 'fees')),
     currency text NOT NULL,
     balance numeric(38,18),
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CHECK ((user_id IS NULL) = (kind IN ('issuance', 'fees'))),
     CHECK ((user_id IS NULL) = (balance IS NULL)),
     CONSTRAINT ledger_accounts_never_negative CHECK (balance >= 0)
   )`,
  'CREATE UNIQUE INDEX ledger_accounts_user_key ON ledger_accounts (user_id, kind, currency) WHERE user_id IS NOT NULL',
  'CREATE UNIQUE INDEX ledger_accounts_system_key ON ledger_accounts (kind, currency) WHERE user_id IS NULL',
  `CREATE TABLE ledger_entries (
     id uuid PRIMARY KEY,
     fact text NOT NULL,
     subject_id uuid NOT NULL,
     transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CONSTRAINT ledger_entries_fact_key UNIQUE (fact, subject_id)
   )`,
  `CREATE TABLE ledger_postings (
     entry_id uuid NOT NULL REFERENCES ledger_entries,
     account_id uuid NOT NULL REFERENCES ledger_accounts,
     amount numeric(38,18) NOT NULL CHECK (amount <> 0),
     PRIMARY KEY (entry_id, account_id)
   )`,
  'CREATE INDEX ledger_postings_account_idx ON ledger_postings (account_id, entry_id)',
];

/** Constraints for every writer: this code, later code, or an operator at the database. */
const LEDGER_LAWS = [
  `CREATE FUNCTION ledger_assert_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF EXISTS (SELECT FROM ledger_postings p JOIN ledger_accounts a ON a.id = p.account_id
                WHERE p.entry_id = NEW.entry_id GROUP BY a.currency HAVING sum(p.amount) <> 0) THEN
       RAISE EXCEPTION 'the postings of ledger entry % do not sum to zero', NEW.entry_id
         USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_postings_sum_to_zero';
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE CONSTRAINT TRIGGER ledger_postings_sum_to_zero AFTER INSERT ON ledger_postings
   DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_assert_balanced()`,
  // An entry is complete when its transaction commits: later transactions cannot add postings.
  `CREATE FUNCTION ledger_apply_posting() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF (SELECT transaction_id FROM ledger_entries WHERE id = NEW.entry_id) <> pg_current_xact_id() THEN
       RAISE EXCEPTION 'ledger entry % is closed', NEW.entry_id
         USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entries_closed';
     END IF;
     UPDATE ledger_accounts SET balance = balance + NEW.amount WHERE id = NEW.account_id AND user_id IS NOT NULL;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER ledger_postings_apply AFTER INSERT ON ledger_postings
   FOR EACH ROW EXECUTE FUNCTION ledger_apply_posting()`,
  `CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION 'the ledger is append-only: % of % is refused', TG_OP, TG_TABLE_NAME
       USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_append_only';
   END $$`,
  ...['ledger_entries', 'ledger_postings'].map(
    (table) => `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
     FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()`,
  ),
  // Only a posting (the trigger above) changes a balance, and a new account has the balance zero.
  `CREATE TRIGGER ledger_accounts_by_postings BEFORE UPDATE OR DELETE ON ledger_accounts
   FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ledger_refuse_change()`,
  `CREATE TRIGGER ledger_accounts_keep BEFORE TRUNCATE ON ledger_accounts
   FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()`,
  `CREATE TRIGGER ledger_accounts_begin_empty BEFORE INSERT ON ledger_accounts
   FOR EACH ROW WHEN (NEW.balance <> 0) EXECUTE FUNCTION ledger_refuse_change()`,
];

const REWARDS = [
  `CREATE TABLE reward_types (
     id uuid PRIMARY KEY,
     code text NOT NULL UNIQUE,
     name text NOT NULL,
     description text NOT NULL,
     basis text NOT NULL CHECK (basis IN ('FLAT', 'VOLUME', 'PROFIT_SHARE')),
     rate numeric(38,18) NOT NULL CHECK (rate >= 0),
     is_active boolean NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
   )`,
  'CREATE INDEX reward_types_created_at_idx ON reward_types (created_at, id)',
  'CREATE INDEX reward_types_code_idx ON reward_types (code, id)',
  // The status is not stored: it is computed from the instants, so it is never outdated.
  `CREATE TABLE rewards (
     id uuid PRIMARY KEY,
     user_id uuid NOT NULL REFERENCES users,
     type_id uuid NOT NULL REFERENCES reward_types,
     amount numeric(38,18) NOT NULL CHECK (amount > 0),
     currency text NOT NULL,
     reason text NOT NULL,
     source_kind text NOT NULL
       CHECK (source_kind IN ('exchange_account', 'trade', 'copier', 'strategy', 'referral')),
     source_id uuid NOT NULL,
     event_id uuid NOT NULL,
     exchange text,
     venue_account_id text,
     claimable_at timestamptz NOT NULL,
     expires_at timestamptz,
     claimed_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CHECK ((exchange IS NULL) = (venue_account_id IS NULL)),
     CHECK (expires_at > claimable_at),
     CONSTRAINT rewards_event_key UNIQUE (type_id, user_id, event_id)
   )`,
  // A reward with a venue account is granted once: per user, and per venue account even if several users connect it.
  `CREATE UNIQUE INDEX rewards_venue_account_key ON rewards (type_id, exchange, venue_account_id)
   WHERE venue_account_id IS NOT NULL`,
  'CREATE UNIQUE INDEX rewards_once_key ON rewards (type_id, user_id) WHERE venue_account_id IS NOT NULL',
  ...['created_at', 'claimable_at', 'amount'].map(
    (sort) => `CREATE INDEX rewards_user_${sort}_idx ON rewards (user_id, ${sort}, id)`,
  ),
  'CREATE INDEX rewards_user_type_idx ON rewards (user_id, type_id, created_at, id)',
  'CREATE INDEX rewards_user_unclaimed_idx ON rewards (user_id, created_at, id) WHERE claimed_at IS NULL',
];

const WITHDRAWALS = [
  `CREATE TABLE withdrawals (
     id uuid PRIMARY KEY,
     user_id uuid NOT NULL REFERENCES users,
     amount numeric(38,18) NOT NULL,
     fee numeric(38,18) NOT NULL CHECK (fee >= 0),
     currency text NOT NULL,
     network text NOT NULL,
     wallet_address text NOT NULL,
     status text NOT NULL DEFAULT 'PENDING'
       CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETED', 'CANCELLED', 'FAILED')),
     cancelled_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CHECK (amount > fee),
     CHECK ((status = 'CANCELLED') = (cancelled_at IS NOT NULL))
   )`,
  ...['created_at', 'amount', 'updated_at'].map(
    (sort) => `CREATE INDEX withdrawals_user_${sort}_idx ON withdrawals (user_id, ${sort}, id)`,
  ),
  'CREATE INDEX withdrawals_user_status_idx ON withdrawals (user_id, status, created_at, id)',
];
