import { insertRows } from './insert-rows.mjs';
import { TOKEN } from './ledger.mjs';
import { DAY_MS } from './market.mjs';
import { finalMonths, settlementsOf } from './profit-shares.mjs';
import { idOf } from './trade-rows.mjs';
import { instantOf } from './units.mjs';

/** Reward types of campaigns, besides those that the trading worker maintains. */
const CAMPAIGNS = [
  {
    code: 'VOLUME_BONUS',
    name: 'Volume bonus',
    description: 'Granted each month for the volume that you traded.',
    basis: 'VOLUME',
    rate: '0.00001',
    period: 'MONTH',
    is_active: true,
  },
  {
    code: 'REFERRAL',
    name: 'Referral',
    description: 'Granted for each user who signs up with your link and trades.',
    basis: 'FLAT',
    rate: '75',
    period: null,
    is_active: false,
  },
];

/** `age`, `claimed` are days before the end; `claimable` and `expires` are days after the grant. */
const GRANTS = /** @type {const} */ ([
  {
    code: 'SIGN_UP',
    amount: '100',
    age: 118,
    claimed: 117,
    kind: 'exchange_account',
    reason: 'You connected an exchange account.',
  },
  {
    code: 'FIRST_TRADE',
    amount: '50',
    age: 117,
    claimed: 115,
    kind: 'exchange_account',
    reason: 'Your first trade was filled.',
  },
  {
    code: 'VOLUME_BONUS',
    amount: '412.5',
    age: 88,
    claimed: 86,
    kind: 'exchange_account',
    reason: 'Volume bonus of the month.',
  },
  {
    code: 'VOLUME_BONUS',
    amount: '378.25',
    age: 58,
    claimed: 51,
    kind: 'exchange_account',
    reason: 'Volume bonus of the month.',
  },
  {
    code: 'VOLUME_BONUS',
    amount: '451',
    age: 28,
    kind: 'exchange_account',
    reason: 'Volume bonus of the month.',
    expires: 40,
  },
  {
    code: 'VOLUME_BONUS',
    amount: '395.75',
    age: 1,
    kind: 'exchange_account',
    reason: 'Volume bonus of the month.',
    claimable: 4,
  },
  {
    code: 'REFERRAL',
    amount: '75',
    age: 74,
    claimed: 70,
    kind: 'referral',
    reason: 'A user with your link placed a first trade.',
  },
  {
    code: 'REFERRAL',
    amount: '75',
    age: 46,
    kind: 'referral',
    reason: 'A user with your link placed a first trade.',
    expires: 14,
  },
  {
    code: 'REFERRAL',
    amount: '75',
    age: 6,
    kind: 'referral',
    reason: 'A user with your link placed a first trade.',
  },
]);

/**
 * Writes the rewards of the demo user, and returns the ledger entries of the claimed ones. The caller holds a transaction.
 *
 * @param {import('pg').Client} database
 * @param {{
 *   simulation: import('./simulation.mjs').Simulation, ids: import('./trade-rows.mjs').Ids,
 *   random: import('./random.mjs').Random,
 * }} options
 * @returns {Promise<import('./ledger.mjs').Entry[]>}
 */
export async function writeRewards(database, { simulation, ids, random }) {
  const { end, start } = simulation.market;
  const opened = instantOf(start);
  await insertRows(
    database,
    'reward_types',
    CAMPAIGNS.map((type) => ({ id: random.uuid(start), ...type, created_at: opened, updated_at: opened })),
  );
  const { rows } = await database.query('SELECT code, id FROM reward_types');
  /** @type {ReadonlyMap<string, string>} */
  const types = new Map(rows.map(({ code, id }) => [code, id]));
  const userId = idOf(ids.users, 'demo');
  const owned = { user_id: userId, currency: TOKEN.currency };
  // The trading worker grants the reward for signing up when the first account is synced.
  await database.query('DELETE FROM rewards WHERE user_id = $1', [userId]);
  const settlements = settlementsOf(simulation, ids, random);
  await insertRows(
    database,
    'profit_settlements',
    settlements.map(({ row }) => row),
  );
  await insertRows(
    database,
    'profit_settlement_lots',
    settlements.flatMap(({ lots }) => lots),
  );
  await insertRows(database, 'profit_share_months', finalMonths(settlements, end));
  const { account, venueAccount } = await venueAccountOf(database, ids);
  const grants = GRANTS.map((grant) => {
    const at = end - grant.age * DAY_MS;
    const isOnce = grant.code === 'SIGN_UP' || grant.code === 'FIRST_TRADE';
    return {
      ...owned,
      id: random.uuid(at),
      type_id: idOf(types, grant.code),
      amount: grant.amount,
      reason: grant.reason,
      source_kind: grant.kind,
      source_id: grant.kind === 'referral' ? random.uuid(at) : account,
      event_id: random.uuid(at),
      ...(isOnce ? { exchange: 'paper', venue_account_id: venueAccount } : {}),
      ...timesOf(grant, at, end),
      is_pending: false,
    };
  });
  const shares = settlements.map(({ row, gain, claimableAt, isFinal, claimedAt }) => ({
    ...owned,
    id: random.uuid(Date.parse(String(row.period_to))),
    type_id: idOf(types, 'PROFIT_SHARE'),
    amount: row.amount,
    reason: `15 % of the ${gain} USDT that a user's copies of your account earned above their mark.`,
    source_kind: 'copier',
    source_id: row.copier_id,
    profit_settlement_id: row.id,
    claimable_at: instantOf(claimableAt),
    claimed_at: claimedAt === null ? null : instantOf(claimedAt),
    created_at: row.created_at,
    updated_at: row.created_at,
    is_pending: !isFinal,
  }));
  const rewards = [...grants, ...shares];
  await insertRows(database, 'rewards', rewards);
  return rewards.flatMap(({ id, amount, claimed_at }) =>
    claimed_at === null || claimed_at === undefined
      ? []
      : {
          fact: 'reward.claimed',
          subjectId: String(id),
          from: /** @type {const} */ ('issuance'),
          to: /** @type {const} */ ('available'),
          amount: String(amount),
          at: Date.parse(claimed_at),
        },
  );
}

/**
 * @param {(typeof GRANTS)[number]} grant
 * @param {number} at
 * @param {number} end
 */
function timesOf(grant, at, end) {
  const claimedAt = 'claimed' in grant ? instantOf(end - grant.claimed * DAY_MS) : null;
  return {
    claimable_at: instantOf(at + ('claimable' in grant ? grant.claimable * DAY_MS : 0)),
    expires_at: 'expires' in grant ? instantOf(at + grant.expires * DAY_MS) : null,
    claimed_at: claimedAt,
    created_at: instantOf(at),
    updated_at: claimedAt ?? instantOf(at),
  };
}

/**
 * @param {import('pg').Client} database
 * @param {import('./trade-rows.mjs').Ids} ids
 */
async function venueAccountOf(database, ids) {
  const account = idOf(ids.accounts, 'demo.main');
  const { rows } = await database.query('SELECT venue_account_id FROM exchange_accounts WHERE id = $1', [
    account,
  ]);
  return { account, venueAccount: rows[0].venue_account_id ?? account };
}
