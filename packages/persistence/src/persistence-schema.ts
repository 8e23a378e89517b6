/** Creates the tables of this package in the first migration of core. Never edit it: a change needs a new migration. */
export const PERSISTENCE_SCHEMA_SQL: readonly string[] = [
  // created_at is the wall clock at the INSERT, not at the start of the transaction: see outbox/relay.ts, invariant 3.
  `CREATE TABLE outbox_events (
     id uuid PRIMARY KEY,
     user_id uuid NOT NULL,
     type text NOT NULL,
     payload bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     position bigint
   )`,
  'CREATE UNIQUE INDEX outbox_events_position_key ON outbox_events (position)',
  'CREATE INDEX outbox_events_unplaced_idx ON outbox_events (created_at, id) WHERE position IS NULL',
  'CREATE INDEX outbox_events_user_position_idx ON outbox_events (user_id, position)',
  `CREATE TABLE outbox_sequence (
     only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
     last_position bigint NOT NULL
   )`,
  'INSERT INTO outbox_sequence (last_position) VALUES (0)',
  'CREATE TABLE outbox_progress (consumer text PRIMARY KEY, position bigint NOT NULL)',
  `CREATE TABLE idempotency_keys (
     user_id uuid NOT NULL,
     route text NOT NULL,
     key_hash bytea NOT NULL,
     fingerprint bytea NOT NULL,
     status smallint NOT NULL,
     answer_sealed bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     expires_at timestamptz NOT NULL,
     PRIMARY KEY (user_id, route, key_hash)
   )`,
  'CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at)',
  `CREATE TABLE process_calls (
     id uuid PRIMARY KEY,
     name text NOT NULL,
     input bytea NOT NULL,
     deadline timestamptz NOT NULL,
     claimed_at timestamptz,
     answered_at timestamptz,
     reply bytea,
     error_code text,
     error_message text
   )`,
  'CREATE INDEX process_calls_unclaimed_idx ON process_calls (name, id) WHERE claimed_at IS NULL',
  'CREATE INDEX process_calls_deadline_idx ON process_calls (deadline)',
  `CREATE TABLE heartbeats (
     service text NOT NULL,
     instance text NOT NULL,
     beat_at timestamptz NOT NULL,
     PRIMARY KEY (service, instance)
   )`,
];

/**
 * Adds whose slots a call between processes uses. The columns are empty in calls of the release before, which share the
 * slots of one user.
 */
export const PROCESS_CALL_SHARES_SQL: readonly string[] = [
  `ALTER TABLE process_calls ADD COLUMN user_id uuid, ADD COLUMN account_id uuid,
     ADD COLUMN lane text NOT NULL DEFAULT 'default'`,
  'CREATE INDEX process_calls_user_idx ON process_calls (user_id, lane)',
];

/**
 * Adds up to which position a consumer has handled the events of a user, where that is beyond the consumer's own position
 * (outbox/fair-batch.ts). The release before ignores these rows; it may handle such events again, which its consumers
 * allow.
 */
export const OUTBOX_SHARES_SQL: readonly string[] = [
  `CREATE TABLE outbox_user_progress (
     consumer text NOT NULL,
     user_id uuid NOT NULL,
     position bigint NOT NULL,
     PRIMARY KEY (consumer, user_id)
   )`,
];
