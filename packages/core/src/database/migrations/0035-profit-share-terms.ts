import type { MigrationInterface, QueryRunner } from 'typeorm';

const PERIODS = "('WEEK', 'MONTH', 'QUARTER')";
const appendOnly = (table: string) =>
  `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
   FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()`;

const TERMS = [
  // The profit share that a copier accepted for a strategy. A row is in effect from `since` until the `since` of the next
  // row, in the order of (since, id). The first row of a copier and strategy is in effect from the beginning.
  `CREATE TABLE copier_terms (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     copier_id uuid NOT NULL REFERENCES copiers,
     strategy_id uuid NOT NULL REFERENCES strategies,
     rate numeric(38,18) NOT NULL CHECK (rate BETWEEN 0 AND 0.5),
     period text NOT NULL CHECK (period IN ${PERIODS}),
     since timestamptz NOT NULL,
     accepted_at timestamptz NOT NULL
   )`,
  'CREATE INDEX copier_terms_copier_idx ON copier_terms (copier_id, strategy_id, since, id)',
  'CREATE INDEX copier_terms_strategy_idx ON copier_terms (strategy_id, copier_id)',
  `CREATE UNIQUE INDEX copier_terms_first_key ON copier_terms (copier_id, strategy_id) WHERE since = '-infinity'`,
  // Copiers of earlier releases freeze the lowest rate known since they exist.
  `INSERT INTO copier_terms (copier_id, strategy_id, rate, period, since, accepted_at)
   SELECT c.id, s.id, least(coalesce(s.profit_share_rate, 0), (SELECT min(f.rate) FROM profit_shares f
       WHERE f.strategy_id = s.id AND f.created_at >= c.created_at)),
     coalesce(s.profit_share_period, 'WEEK'), '-infinity', coalesce(c.started_at, c.created_at)
   FROM (SELECT id AS copier_id, strategy_id FROM copiers WHERE started_at IS NOT NULL AND strategy_id IS NOT NULL
         UNION SELECT copier_id, strategy_id FROM lots WHERE copier_id IS NOT NULL AND strategy_id IS NOT NULL) known
   JOIN copiers c ON c.id = known.copier_id JOIN strategies s ON s.id = known.strategy_id`,
  appendOnly('copier_terms'),
  // Triggers, because processes of the previous release also start copiers and change strategies during a deployment.
  `CREATE FUNCTION freeze_copier_terms() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO copier_terms (copier_id, strategy_id, rate, period, since, accepted_at)
     SELECT NEW.id, s.id, coalesce(s.profit_share_rate, 0), coalesce(s.profit_share_period, 'WEEK'), '-infinity',
       NEW.started_at
     FROM strategies s WHERE s.id = NEW.strategy_id AND NOT EXISTS (
       SELECT FROM copier_terms t WHERE t.copier_id = NEW.id AND t.strategy_id = NEW.strategy_id)
     ON CONFLICT DO NOTHING;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER freeze_copier_terms AFTER INSERT OR UPDATE OF started_at ON copiers FOR EACH ROW
   WHEN (NEW.started_at IS NOT NULL AND NEW.strategy_id IS NOT NULL) EXECUTE FUNCTION freeze_copier_terms()`,
  // A cut lowers the terms that are in effect, and those that were accepted for the next period.
  `CREATE FUNCTION cut_copier_terms() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     cut_at timestamptz := clock_timestamp();
     new_rate numeric := coalesce(NEW.profit_share_rate, 0);
   BEGIN
     INSERT INTO copier_terms (copier_id, strategy_id, rate, period, since, accepted_at)
     SELECT last.copier_id, last.strategy_id, new_rate, last.period, greatest(last.since, cut_at), last.accepted_at
     FROM (SELECT DISTINCT ON (t.copier_id, greatest(t.since, cut_at)) t.copier_id, t.strategy_id, t.rate, t.period,
             t.since, t.accepted_at
           FROM copier_terms t WHERE t.strategy_id = NEW.id
           ORDER BY t.copier_id, greatest(t.since, cut_at), t.since DESC, t.id DESC) last
     WHERE last.rate > new_rate;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER cut_copier_terms AFTER UPDATE OF profit_share_rate ON strategies FOR EACH ROW
   WHEN (NEW.profit_share_rate IS DISTINCT FROM OLD.profit_share_rate) EXECUTE FUNCTION cut_copier_terms()`,
];

const IDENTITIES = [
  // What each user has, or ever had. Rows are never removed, so they contain hashes only.
  `CREATE TABLE identity_hashes (
     kind text NOT NULL CHECK (kind IN ('EMAIL', 'PUBLIC_KEY', 'VENUE_ACCOUNT')),
     hash bytea NOT NULL,
     user_id uuid NOT NULL,
     first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (kind, hash, user_id)
   )`,
  'CREATE INDEX identity_hashes_user_idx ON identity_hashes (user_id, kind, hash)',
  `CREATE FUNCTION identity_hash(value text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
     SELECT sha256(convert_to(value, 'UTF8')) $$`,
  // The same mailbox as in access/mailbox.rules.ts: without case, what follows a plus sign, and dots at Gmail.
  `CREATE FUNCTION mailbox_of(email text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
     SELECT CASE WHEN domain IN ('gmail.com', 'googlemail.com') THEN replace(name, '.', '') || '@gmail.com'
       ELSE name || '@' || domain END
     FROM (SELECT regexp_replace(substring(lower(email) FROM '^(.*)@'), '^(.[^+]*)[+].*$', '\\1') AS name,
             substring(lower(email) FROM '@([^@]*)$') AS domain) parts $$`,
  `INSERT INTO identity_hashes (kind, hash, user_id)
   SELECT 'EMAIL', identity_hash(mailbox_of(email)), id FROM users
     WHERE email IS NOT NULL AND email_verified_at IS NOT NULL
   UNION SELECT 'PUBLIC_KEY', identity_hash(pubkey), user_id FROM public_keys
   UNION SELECT 'VENUE_ACCOUNT', identity_hash(exchange || ' ' || venue_account_id), user_id FROM exchange_accounts
     WHERE venue_account_id IS NOT NULL`,
  appendOnly('identity_hashes'),
  ...[
    {
      table: 'users',
      columns: 'email, email_verified_at',
      condition: 'NEW.email IS NOT NULL AND NEW.email_verified_at IS NOT NULL',
      identity: "'EMAIL', identity_hash(mailbox_of(NEW.email)), NEW.id",
    },
    {
      table: 'public_keys',
      columns: 'pubkey, user_id',
      condition: 'NEW.pubkey IS NOT NULL',
      identity: "'PUBLIC_KEY', identity_hash(NEW.pubkey), NEW.user_id",
    },
    {
      table: 'exchange_accounts',
      columns: 'venue_account_id, user_id',
      condition: 'NEW.venue_account_id IS NOT NULL',
      identity: "'VENUE_ACCOUNT', identity_hash(NEW.exchange || ' ' || NEW.venue_account_id), NEW.user_id",
    },
  ].flatMap(({ table, columns, condition, identity }) => [
    `CREATE FUNCTION ${table}_record_identity() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO identity_hashes (kind, hash, user_id) VALUES (${identity}) ON CONFLICT DO NOTHING;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER ${table}_record_identity AFTER INSERT OR UPDATE OF ${columns} ON ${table} FOR EACH ROW
     WHEN (${condition}) EXECUTE FUNCTION ${table}_record_identity()`,
  ]),
];

const PRICES = [
  // Prices between quote currencies, which value profit in one currency at the time of a fill. A row is the price from
  // `at` until the next row of the pair.
  `CREATE TABLE quote_prices (
     exchange text NOT NULL,
     base text NOT NULL,
     quote text NOT NULL,
     at timestamptz NOT NULL,
     price numeric(38,18) NOT NULL CHECK (price > 0),
     PRIMARY KEY (exchange, base, quote, at)
   )`,
  // The units of `to_currency` per unit of `from_currency` at an instant: the last known price, or else the next one.
  // Null if there is no price.
  `CREATE FUNCTION quote_rate(venue text, from_currency text, to_currency text, instant timestamptz) RETURNS numeric
   LANGUAGE sql STABLE AS $$
     SELECT CASE WHEN from_currency = to_currency THEN 1 ELSE coalesce(
       (SELECT p.price FROM quote_prices p WHERE p.exchange = venue AND p.base = from_currency
          AND p.quote = to_currency AND p.at <= instant ORDER BY p.at DESC LIMIT 1),
       (SELECT 1 / p.price FROM quote_prices p WHERE p.exchange = venue AND p.base = to_currency
          AND p.quote = from_currency AND p.at <= instant ORDER BY p.at DESC LIMIT 1),
       (SELECT p.price FROM quote_prices p WHERE p.exchange = venue AND p.base = from_currency
          AND p.quote = to_currency ORDER BY p.at LIMIT 1),
       (SELECT 1 / p.price FROM quote_prices p WHERE p.exchange = venue AND p.base = to_currency
          AND p.quote = from_currency ORDER BY p.at LIMIT 1)) END $$`,
];

const SETTLEMENTS = [
  // One row for each settled period of a copying user and a leader's account. The mark of the last row is the current one.
  // `amount` is in reward tokens, before the scale of its month. It is 0 if there was no gain, or for the reason in `withheld`.
  `CREATE TABLE profit_settlements (
     id uuid PRIMARY KEY,
     user_id uuid NOT NULL REFERENCES users,
     leader_account_id uuid NOT NULL REFERENCES exchange_accounts,
     currency text NOT NULL,
     period_from timestamptz NOT NULL,
     period_to timestamptz NOT NULL,
     copier_id uuid NOT NULL REFERENCES copiers,
     strategy_id uuid NOT NULL REFERENCES strategies,
     rate numeric(38,18) NOT NULL CHECK (rate BETWEEN 0 AND 0.5),
     tokens_per_quote numeric(38,18) CHECK (tokens_per_quote > 0),
     realized numeric NOT NULL,
     open_loss numeric NOT NULL CHECK (open_loss >= 0),
     mark_before numeric(38,18) NOT NULL CHECK (mark_before >= 0),
     mark_after numeric(38,18) NOT NULL,
     amount numeric(38,18) NOT NULL CHECK (amount >= 0),
     withheld text CHECK (withheld IN ('FREE', 'LINKED_USERS', 'NEW_USER', 'NO_BUDGET')),
     budget_month date,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CHECK (period_from < period_to),
     CHECK (mark_after >= mark_before),
     CHECK ((amount > 0) = (budget_month IS NOT NULL)),
     CHECK (amount = 0 OR (mark_after > mark_before AND tokens_per_quote IS NOT NULL AND withheld IS NULL)),
     CONSTRAINT profit_settlements_period_key UNIQUE (user_id, leader_account_id, period_to)
   )`,
  `CREATE UNIQUE INDEX profit_settlements_mark_key ON profit_settlements (user_id, leader_account_id, mark_before)
   WHERE mark_after > mark_before`,
  `CREATE INDEX profit_settlements_month_idx ON profit_settlements (budget_month) WHERE budget_month IS NOT NULL`,
  appendOnly('profit_settlements'),
  // The lots that changed the profit since the settlement before: closed parts, and open losses. In the mark's currency.
  `CREATE TABLE profit_settlement_lots (
     settlement_id uuid NOT NULL REFERENCES profit_settlements,
     lot_id uuid NOT NULL,
     realized numeric NOT NULL,
     open_loss numeric NOT NULL,
     PRIMARY KEY (settlement_id, lot_id)
   )`,
  appendOnly('profit_settlement_lots'),
  // The months whose grants are final.
  `CREATE TABLE profit_share_months (
     month date PRIMARY KEY,
     budget numeric(38,18) NOT NULL CHECK (budget >= 0),
     requested numeric(38,18) NOT NULL CHECK (requested >= 0),
     scale numeric(38,18) NOT NULL CHECK (scale BETWEEN 0 AND 1),
     created_at timestamptz NOT NULL DEFAULT clock_timestamp()
   )`,
  appendOnly('profit_share_months'),
];

const REWARDS = [
  `ALTER TABLE rewards ADD COLUMN profit_settlement_id uuid REFERENCES profit_settlements,
     ADD COLUMN is_pending boolean NOT NULL DEFAULT false,
     ADD CONSTRAINT rewards_profit_settlement_key UNIQUE (profit_settlement_id),
     DROP CONSTRAINT rewards_occasion_check,
     ADD CONSTRAINT rewards_occasion_check CHECK (num_nonnulls(event_id, profit_share_id, profit_settlement_id) = 1),
     DROP CONSTRAINT rewards_amount_check,
     ADD CONSTRAINT rewards_amount_check
       CHECK (amount > 0 OR (amount = 0 AND profit_settlement_id IS NOT NULL AND NOT is_pending)),
     ADD CONSTRAINT rewards_pending_check CHECK (NOT is_pending OR profit_settlement_id IS NOT NULL)`,
  'CREATE INDEX rewards_pending_idx ON rewards (profit_settlement_id) WHERE is_pending',
  // A grant whose amount is not final cannot be claimed, whichever release asks.
  `CREATE FUNCTION refuse_pending_claim() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION 'reward % is not final', NEW.id
       USING ERRCODE = 'restrict_violation', CONSTRAINT = 'rewards_pending_claim';
   END $$`,
  `CREATE TRIGGER rewards_pending_claim BEFORE UPDATE OF claimed_at ON rewards FOR EACH ROW
   WHEN (NEW.is_pending AND NEW.claimed_at IS NOT NULL) EXECUTE FUNCTION refuse_pending_claim()`,
];

/** Adds the terms of copiers, the identities of users, and the settlements and monthly budgets of profit shares. */
export class ProfitShareTerms1763700000035 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...TERMS, ...IDENTITIES, ...PRICES, ...SETTLEMENTS, ...REWARDS])
      await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
