import type { MigrationInterface, QueryRunner } from 'typeorm';

const dayOf = (instant: string) => `(${instant} AT TIME ZONE 'UTC')::date`;

const FUNDING = [
  // One row for each funding payment of the venue. The amount is positive if the account received it. The pair is null
  // where the product does not offer the market.
  `CREATE TABLE funding_payments (
     id uuid PRIMARY KEY,
     user_id uuid NOT NULL,
     exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
     trade_pair_id uuid REFERENCES trade_pairs,
     symbol text NOT NULL,
     venue_payment_id text NOT NULL,
     amount numeric(38,18) NOT NULL,
     currency text NOT NULL,
     paid_at timestamptz NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CONSTRAINT funding_payments_venue_key UNIQUE (exchange_account_id, venue_payment_id)
   )`,
  'CREATE INDEX funding_payments_book_idx ON funding_payments (exchange_account_id, trade_pair_id, paid_at)',
  'CREATE INDEX funding_payments_user_idx ON funding_payments (user_id, paid_at)',
  // One row for each interest charge of the venue. The value is in the quote currency of the lots that owe the loan; null
  // while no such lot or no price is known.
  `CREATE TABLE interest_charges (
     id uuid PRIMARY KEY,
     user_id uuid NOT NULL,
     exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
     venue_charge_id text NOT NULL,
     asset text NOT NULL,
     amount numeric(38,18) NOT NULL,
     value numeric(38,18),
     currency text,
     charged_at timestamptz NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CHECK ((value IS NULL) = (currency IS NULL)),
     CONSTRAINT interest_charges_venue_key UNIQUE (exchange_account_id, venue_charge_id)
   )`,
  'CREATE INDEX interest_charges_asset_idx ON interest_charges (exchange_account_id, asset, charged_at)',
  // The part of a lot in a funding payment or in an interest charge, in the quote currency of its pair; positive if it was
  // received. There is no foreign key to lots, because a late fill deletes lots and books them again.
  `CREATE TABLE lot_funding (
     lot_id uuid NOT NULL,
     source_id uuid NOT NULL,
     user_id uuid NOT NULL,
     exchange_account_id uuid NOT NULL,
     trade_pair_id uuid NOT NULL,
     amount numeric(38,18) NOT NULL,
     at timestamptz NOT NULL,
     PRIMARY KEY (lot_id, source_id)
   )`,
  'CREATE INDEX lot_funding_source_idx ON lot_funding (source_id)',
  'CREATE INDEX lot_funding_user_idx ON lot_funding (user_id, at)',
  // The lots that were open at an instant are those that are open now and those that were closed later.
  `CREATE INDEX lots_closed_idx ON lots (exchange_account_id, trade_pair_id, closed_at) WHERE closed_at IS NOT NULL`,
];

const RATES = [
  `CREATE TABLE funding_rates (
     trade_pair_id uuid NOT NULL REFERENCES trade_pairs,
     at timestamptz NOT NULL,
     rate numeric(38,18) NOT NULL,
     mark_price numeric(38,18),
     PRIMARY KEY (trade_pair_id, at)
   )`,
  // When the rates of a pair are read again.
  `CREATE TABLE funding_rate_reads (
     trade_pair_id uuid PRIMARY KEY REFERENCES trade_pairs,
     due_at timestamptz NOT NULL
   )`,
  // Up to when the payments and charges of an account are complete, and when they are read again.
  `CREATE TABLE funding_reads (
     exchange_account_id uuid PRIMARY KEY REFERENCES exchange_accounts,
     complete_until timestamptz,
     due_at timestamptz NOT NULL
   )`,
];

const RESULTS = [
  // Null in the rows that an earlier release writes from now on; they are then computed again.
  'ALTER TABLE result_days ADD COLUMN funding numeric DEFAULT 0',
  'ALTER TABLE result_days ALTER COLUMN funding DROP DEFAULT',
  'CREATE INDEX result_days_without_funding_idx ON result_days (user_id, day) WHERE funding IS NULL',
];

/** Marks the days of changed rows as outdated, in the transaction of the change. */
function markAfter(table: string, operation: 'INSERT' | 'DELETE', instant: string): string[] {
  const name = `${table}_mark_results_of_${operation.toLowerCase()}`;
  const rows = operation === 'INSERT' ? 'NEW TABLE AS changed' : 'OLD TABLE AS changed';
  return [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO result_marks (user_id, day) SELECT DISTINCT user_id, ${dayOf(instant)} FROM changed;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER ${name} AFTER ${operation} ON ${table} REFERENCING ${rows}
     FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  ];
}

const MARKS = [
  ...markAfter('funding_payments', 'INSERT', 'paid_at'),
  ...markAfter('lot_funding', 'INSERT', 'at'),
  ...markAfter('lot_funding', 'DELETE', 'at'),
];

/** Adds funding payments, interest charges, their parts of lots, and funding rates. */
export class Funding1763700000059 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...FUNDING, ...RATES, ...RESULTS, ...MARKS]) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
