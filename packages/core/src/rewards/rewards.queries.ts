/**
 * Reads rewards. Their status is not stored. It is computed from the times at which a reward becomes claimable, is
 * claimed and expires, by the clock of the transaction. Therefore the filter of the list, the record that a user sees
 * and the check before a claim always agree.
 */
import type { RewardSource, RewardStatus } from '@trading-automation/contracts';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { RewardCode, RewardTypeInput } from './reward-catalogue.js';

export type RewardRow = {
  readonly id: string;
  readonly type_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: RewardStatus;
  readonly reason: string;
  readonly source_kind: RewardSource;
  readonly source_id: string;
  readonly claimable_at: Date;
  readonly expires_at: Date | null;
  readonly claimed_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Set only for profit shares. */
  readonly share: {
    readonly strategy_id: string;
    readonly quote: string;
    readonly rate: string;
    readonly tokens_per_quote: string;
    readonly from: string;
    readonly to: string;
    readonly before: string;
    readonly after: string;
    /** Null for profit shares of earlier releases, which were settled for one copier and were not scaled. */
    readonly settlement: {
      readonly realized: string;
      readonly open_loss: string;
      readonly amount: string;
      /** Null until the month ends. */
      readonly scale: string | null;
      readonly lot_count: number;
      readonly lots: readonly string[] | null;
    } | null;
  } | null;
};

/** The maximum number of lots that a reward names. */
const LOTS_MAX = 1_000;

/** The condition on a reward `r` for each status. Exactly one of them is true. */
export const STATUS_CONDITIONS: Readonly<Record<RewardStatus, string>> = {
  CLAIMED: 'r.claimed_at IS NOT NULL',
  EXPIRED: 'r.claimed_at IS NULL AND r.expires_at <= now()',
  PENDING: 'r.claimed_at IS NULL AND (r.is_pending OR r.claimable_at > now())',
  CLAIMABLE:
    'r.claimed_at IS NULL AND NOT r.is_pending AND r.claimable_at <= now() AND (r.expires_at IS NULL OR r.expires_at > now())',
};

/** Select list of a `RewardTypeRow`, from the table `t`. */
export const REWARD_TYPE_SELECT =
  't.id, t.code, t.name, t.description, t.basis, t.rate, t.period, t.is_active, t.created_at, t.updated_at';

export const REWARD_SELECT = `r.id, r.type_id, r.amount, r.currency, r.reason, r.source_kind, r.source_id,
  r.claimable_at, r.expires_at, r.claimed_at, r.created_at, r.updated_at,
  CASE WHEN ${STATUS_CONDITIONS.CLAIMED} THEN 'CLAIMED' WHEN ${STATUS_CONDITIONS.EXPIRED} THEN 'EXPIRED'
       WHEN ${STATUS_CONDITIONS.PENDING} THEN 'PENDING' ELSE 'CLAIMABLE' END AS status,
  CASE WHEN f.id IS NOT NULL THEN json_build_object('strategy_id', f.strategy_id, 'quote', f.quote,
    'rate', f.rate::text, 'tokens_per_quote', f.tokens_per_quote::text, 'from', f.period_from, 'to', f.period_to,
    'before', f.high_water_before::text, 'after', f.high_water_after::text, 'settlement', NULL)
  WHEN s.id IS NOT NULL THEN json_build_object('strategy_id', s.strategy_id, 'quote', s.currency,
    'rate', s.rate::text, 'tokens_per_quote', s.tokens_per_quote::text, 'from', s.period_from, 'to', s.period_to,
    'before', s.mark_before::text, 'after', s.mark_after::text, 'settlement', json_build_object(
      'realized', trunc(s.realized, 18)::text, 'open_loss', trunc(s.open_loss, 18)::text, 'amount', s.amount::text,
      'scale', (SELECT m.scale::text FROM profit_share_months m WHERE m.month = s.budget_month),
      'lot_count', (SELECT count(*) FROM profit_settlement_lots o WHERE o.settlement_id = s.id),
      'lots', (SELECT json_agg(o.lot_id) FROM (SELECT o.lot_id FROM profit_settlement_lots o
                 WHERE o.settlement_id = s.id ORDER BY o.lot_id LIMIT ${LOTS_MAX}) o))) END AS share`;

export const REWARD_FROM = `rewards r LEFT JOIN profit_shares f ON f.id = r.profit_share_id
  LEFT JOIN profit_settlements s ON s.id = r.profit_settlement_id`;

export async function findReward(tx: Tx, userId: string, id: string): Promise<RewardRow | undefined> {
  const [row] = await tx.query(
    `SELECT ${REWARD_SELECT} FROM ${REWARD_FROM} WHERE r.id = $1 AND r.user_id = $2`,
    [id, userId],
  );
  return row;
}

/** Returns those rewards with `ids` that belong to the user, in no particular order. */
export async function findRewards(tx: Tx, userId: string, ids: readonly string[]): Promise<RewardRow[]> {
  return queryPrepared<RewardRow>(
    tx,
    `SELECT ${REWARD_SELECT} FROM ${REWARD_FROM} WHERE r.id = ANY ($1) AND r.user_id = $2`,
    [ids, userId],
  );
}

/** Returns rewards of any users, each with its user, in no particular order. */
export async function findRewardsOfUsers(
  tx: Tx,
  ids: readonly string[],
): Promise<(RewardRow & { readonly user_id: string })[]> {
  return queryPrepared(tx, `SELECT r.user_id, ${REWARD_SELECT} FROM ${REWARD_FROM} WHERE r.id = ANY ($1)`, [
    ids,
  ]);
}

/** Claims the reward. Returns whether this call claimed it: of concurrent calls, one returns true. */
export async function markClaimed(tx: Tx, userId: string, id: string): Promise<boolean> {
  const [, count] = await tx.query(
    `UPDATE rewards r SET claimed_at = clock_timestamp(), updated_at = clock_timestamp()
     WHERE r.id = $1 AND r.user_id = $2 AND ${STATUS_CONDITIONS.CLAIMABLE}`,
    [id, userId],
  );
  return count === 1;
}

/** An event that may grant a reward. */
export interface RewardTrigger {
  readonly code: RewardCode;
  readonly userId: string;
  readonly eventId: string;
  readonly exchangeAccountId: string;
  /** The uuid of the trade or account that the reward is granted for. */
  readonly sourceId: string;
}

/** The data of the account and the reward type that a grant needs. */
export type Grant = {
  readonly type_id: string;
  readonly rate: string;
  readonly exchange: string;
  readonly venue_account_id: string;
};

/**
 * Returns the triggers that grant a reward, each with its grant. Excludes types that are not offered, accounts without
 * an account id from their exchange, and users or accounts that already have the reward. This filter only saves inserts,
 * since most events repeat; the unique indexes decide.
 */
export async function findGrants(
  tx: Tx,
  triggers: readonly RewardTrigger[],
): Promise<readonly { readonly trigger: RewardTrigger; readonly grant: Grant }[]> {
  if (triggers.length === 0) return [];
  const rows = await queryPrepared<Grant & { place: number }>(
    tx,
    `SELECT input.place::int - 1 AS place, t.id AS type_id, t.rate, a.exchange, a.venue_account_id
     FROM unnest($1::text[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS input (code, account_id, user_id, place)
     JOIN reward_types t ON t.code = input.code AND t.is_active
     JOIN exchange_accounts a ON a.id = input.account_id AND a.user_id = input.user_id
       AND a.venue_account_id IS NOT NULL
     WHERE NOT EXISTS (SELECT FROM rewards r WHERE r.type_id = t.id AND r.user_id = input.user_id
                       AND r.venue_account_id IS NOT NULL)
       AND NOT EXISTS (SELECT FROM rewards r WHERE r.type_id = t.id AND r.exchange = a.exchange
                       AND r.venue_account_id = a.venue_account_id)
     ORDER BY input.place`,
    [
      triggers.map(({ code }) => code),
      triggers.map(({ exchangeAccountId }) => exchangeAccountId),
      triggers.map(({ userId }) => userId),
    ],
  );
  return rows.map(({ place, ...grant }) => ({ trigger: triggers[place]!, grant }));
}

export interface NewReward {
  readonly trigger: RewardTrigger;
  readonly grant: Grant;
  readonly currency: string;
  readonly reason: string;
  readonly sourceKind: RewardSource;
  readonly expiresDays: number | null;
}

/**
 * Stores the reward and returns its id; undefined if the user, a linked user or the account already has a reward of this
 * type. Users are linked if they have, or ever had, a verified e-mail address, a public key or a venue account in common.
 */
export async function insertReward(tx: Tx, reward: NewReward): Promise<string | undefined> {
  const { trigger, grant } = reward;
  const rows: { id: string }[] = await tx.query(
    `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id, event_id, exchange,
       venue_account_id, claimable_at, expires_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now(), now() + $12::integer * interval '1 day'
     WHERE NOT EXISTS (
       SELECT FROM identity_hashes a JOIN identity_hashes b ON b.kind = a.kind AND b.hash = a.hash
       JOIN rewards r ON r.user_id = b.user_id AND r.type_id = $3
       WHERE a.user_id = $2 AND b.user_id <> a.user_id)
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      newUuid(),
      trigger.userId,
      grant.type_id,
      grant.rate,
      reward.currency,
      reward.reason,
      reward.sourceKind,
      trigger.sourceId,
      trigger.eventId,
      grant.exchange,
      grant.venue_account_id,
      reward.expiresDays,
    ],
  );
  return rows[0]?.id;
}

/** Stores a reward type of the catalogue that the APIs show. Writes only changes. */
export async function upsertRewardType(tx: Tx, type: RewardTypeInput): Promise<void> {
  const { code, name, description, basis, rate, period, isActive } = type;
  await tx.query(
    `INSERT INTO reward_types AS t (id, code, name, description, basis, rate, period, is_active)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (code) DO UPDATE SET name = excluded.name, description = excluded.description,
       basis = excluded.basis, rate = excluded.rate, period = excluded.period, is_active = excluded.is_active,
       updated_at = clock_timestamp()
     WHERE (t.name, t.description, t.basis, t.rate, t.period, t.is_active) IS DISTINCT FROM
       (excluded.name, excluded.description, excluded.basis, excluded.rate, excluded.period, excluded.is_active)`,
    [newUuid(), code, name, description, basis, rate, period, isActive],
  );
}
