/** The arithmetic of `accounts.mjs --tariff`: what accounts cost of a published limit, from the calls of one account. */

const DAY_MS = 86_400_000;
const MINUTES_A_DAY = 1_440;
const ROTATION_MS = 14_400_000;
const ROTATION_MINUTES = ROTATION_MS / 60_000;
/** The supervisor waits between three quarters of the interval and the whole interval. */
const ROTATIONS_A_DAY = DAY_MS / (ROTATION_MS * 0.875);
/** Idle accounts may use this part of a limit in all. */
const IDLE_SHARE = 0.3;
/** The margin of an account is read every 15 minutes while it is ample. */
const MARGIN_READS_A_DAY = DAY_MS / 900_000;
/** Funding is read once in each interval, mostly of 8 h; interest every 4 h. */
const FUNDING_READS_A_DAY = { perpetual: 3, margin: 6, spot: 0 };

/** @typedef {{ weight: number, accountWeight: number, purpose: string }} Call */

/** @param {readonly Call[]} calls */
export const weightOf = (calls) => calls.reduce((sum, { weight }) => sum + weight, 0);

/**
 * Returns the weight that an account uses in a day, by purpose. The account connects once a day.
 *
 * @param {any} account the recorded calls of one venue and trading type
 * @param {boolean} isHolding whether the account holds a position or, with margin, an asset that it bought
 * @returns {Record<string, number>}
 */
export function weightsOfDay({ tradingType, idle, holding, keepAlive }, isHolding = false) {
  const { rotation, funding, margin = [] } = isHolding ? holding : idle;
  const firstOfHolding = isHolding ? rotation : [];
  const connection = isHolding
    ? idle.connection.filter(({ purpose }) => purpose === 'resume')
    : idle.connection;
  /** @type {[readonly Call[], number][]} */
  const parts = [
    [connection, 1],
    [firstOfHolding, 1],
    [rotation, ROTATIONS_A_DAY],
    [idle.rights, 1],
    [funding, FUNDING_READS_A_DAY[tradingType]],
    [margin, MARGIN_READS_A_DAY],
    [keepAlive?.calls ?? [], keepAlive === undefined ? 0 : DAY_MS / keepAlive.everyMs],
  ];
  /** @type {Record<string, number>} */
  const weights = {};
  for (const [calls, times] of parts)
    for (const { purpose, weight } of calls) weights[purpose] = (weights[purpose] ?? 0) + weight * times;
  return weights;
}

const sumOf = (weights) => Object.values(weights).reduce((sum, weight) => sum + weight, 0);

/**
 * Returns, for each purpose with a share, the weight of its group in parts of that share. The worker counts the calls of
 * a group together, and admits a call while the count is below the share of its purpose.
 *
 * @param {Record<string, number>} weights
 * @param {Record<string, { group: string, share: number }>} shares by purpose
 */
function usesOfShares(weights, shares) {
  const purposes = Object.keys(weights).filter((purpose) => shares[purpose] !== undefined);
  return purposes.map((purpose) => {
    const { group, share } = shares[purpose];
    const ofGroup = purposes.filter((each) => shares[each].group === group);
    return { group, use: ofGroup.reduce((sum, each) => sum + weights[each], 0) / share };
  });
}

/**
 * Returns how many accounts with these weights a day one address carries: the largest number with which the calls of
 * every purpose stay within their share.
 */
export function accountsWithinShares(weights, weightPerMinute, shares) {
  const uses = usesOfShares(weights, shares).map(({ use }) => use);
  return (weightPerMinute * MINUTES_A_DAY) / Math.max(...uses);
}

/**
 * Returns how many idle accounts one address carries, and what limits the number: the shares of purposes, the part that
 * idle accounts may use in all, or a reconnection of all accounts in the time of one rotation.
 */
export function idleAccounts(account) {
  const { idle, limits, shares } = account;
  const { weightPerMinute } = limits;
  const weights = weightsOfDay(account);
  const one = reconnectionMinutes(idle.connection, 1, weightPerMinute, shares);
  const bounds = [
    ['shares', accountsWithinShares(weights, weightPerMinute, shares)],
    ['total', (IDLE_SHARE * weightPerMinute * MINUTES_A_DAY) / sumOf(weights)],
    ['reconnection', ROTATION_MINUTES / Math.max(one.connected, one.compared)],
  ];
  const [limitedBy, accounts] = bounds.reduce((least, each) => (each[1] < least[1] ? each : least));
  return { limitedBy, accounts: Math.floor(accounts) };
}

/**
 * Returns the minutes until all accounts of an address are connected again and compared, if all streams are lost at once
 * and the calls use the whole of their share.
 */
export function reconnectionMinutes(connection, accounts, weightPerMinute, shares) {
  /** @type {Record<string, number>} */
  const weights = {};
  for (const { purpose, weight } of connection)
    weights[purpose] = (weights[purpose] ?? 0) + weight * accounts;
  const uses = usesOfShares(weights, shares);
  const ofGroup = (name) => Math.max(0, ...uses.filter(({ group }) => group === name).map(({ use }) => use));
  return {
    connected: ofGroup('repairs') / weightPerMinute,
    compared: ofGroup('background') / weightPerMinute,
  };
}

/**
 * Returns the figures of one venue and trading type.
 *
 * @param {any} account the recorded calls
 */
export function tariffFigures(account) {
  const { idle, limits, shares, venue, tradingType, holding } = account;
  const { weightPerMinute, accountLimit } = limits;
  const weights = weightsOfDay(account);
  const { accounts, limitedBy } = idleAccounts(account);
  const minutes = reconnectionMinutes(idle.connection, accounts, weightPerMinute, shares);
  const runs = [idle.connection, idle.rotation, holding?.rotation ?? []];
  const largestRun = Math.max(
    ...runs.map((calls) => calls.reduce((sum, call) => sum + call.accountWeight, 0)),
  );
  return {
    venue,
    tradingType,
    weightPerMinute,
    connection: weightOf(idle.connection),
    rotation: weightOf(idle.rotation),
    day: sumOf(weights),
    accounts,
    limitedBy,
    share: (accounts * sumOf(weights)) / (weightPerMinute * MINUTES_A_DAY),
    ...minutes,
    ofAccountLimit: accountLimit === undefined ? undefined : largestRun / accountLimit.weight,
    holding: holding && holdingFigures(account),
  };
}

function holdingFigures(account) {
  const weights = weightsOfDay(account, true);
  return {
    day: sumOf(weights),
    accounts: Math.floor(accountsWithinShares(weights, account.limits.weightPerMinute, account.shares)),
  };
}
