/**
 * The measured user of `fairness.mjs`, and the leader that it copies. Both follow a fixed schedule, whether or not the
 * product is slow. A time counts from the scheduled instant, so that it includes the wait for earlier work.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeId } from '@trading-automation/contracts';
import { until } from '../tooling/launch/first-trade/scenario.mjs';
import { openTrader } from './fairness-environment.mjs';

const LIST_EVERY_MS = 250;
const CREATE_EVERY_MS = 800;
/** The time from the creation of a trade until its cancellation. */
const OPEN_MS = 1_000;
const LEAD_EVERY_MS = 900;
/** The time between a leader's entry and its exit. An exit that follows at once waits for the copy of the entry. */
const HOLD_MS = 2_000;
/** How long what was begun in a half may take to end, before the results are read. */
const SETTLE_MS = 2_000;

export const MEASURED = ['list', 'create', 'cancel', 'exit copy', 'webhook'];

/** An order that stays open. */
export const resting = ({ account, pair }) => ({
  exchange_account_id: account.id,
  trade_pair_id: pair.id,
  type: 'LIMIT',
  side: 'BUY',
  price: 1_000,
  amount: '0.01',
});

/** Opens a user who copies the strategy and receives webhooks. */
export async function openQuiet(environment, strategy) {
  const user = await openTrader(environment, 'quiet');
  await user.signed.webhooks.create({ url: environment.receiverUrl, events: ['trade.*'] });
  const copier = await user.api.copiers.create({
    name: 'follows',
    strategy_id: strategy.id,
    exchange_account_id: user.account.id,
    sizing: { mode: 'FIXED_QUOTE', value: '200' },
  });
  await user.api.copiers.start(copier.id);
  return { ...user, copierId: copier.id };
}

/**
 * Runs the load of the measured user and of the leader for one half of a round.
 *
 * @returns the times of the user in ms by kind of work. A request that failed has the time Infinity.
 */
export async function runHalf({ database }, { leader, strategy, user }, seconds) {
  const [{ now }] = (await database.query('SELECT clock_timestamp() AS now')).rows;
  const times = { list: [], create: [], cancel: [] };
  const startsAt = performance.now() + 100;
  const every = (intervalMs, work) =>
    Array.from({ length: Math.floor((seconds * 1_000) / intervalMs) }, async (_, i) => {
      const at = startsAt + i * intervalMs;
      await sleepUntil(at);
      await work(at);
    });
  await Promise.all([
    ...every(LIST_EVERY_MS, (at) => timed(times.list, at, () => user.api.trades.list({ limit: 50 }))),
    ...every(CREATE_EVERY_MS, (at) => createAndCancel(user, times, at)),
    ...every(LEAD_EVERY_MS, () =>
      leaderTrades(leader, strategy).catch((error) => console.error('the leader failed:', error.message)),
    ),
  ]);
  await sleep(SETTLE_MS);
  times['exit copy'] = await exitCopies(database, user, now);
  times.webhook = await firstAttempts(database, user, now);
  for (const kind of MEASURED) if (times[kind].length === 0) throw new Error(`no ${kind} was measured`);
  return times;
}

const sleepUntil = (at) => sleep(Math.max(0, at - performance.now()));

async function timed(times, scheduledAt, work) {
  try {
    const result = await work();
    times.push(performance.now() - scheduledAt);
    return result;
  } catch (error) {
    console.error('the measured user failed:', error.status ?? '', error.code ?? error.message);
    times.push(Number.POSITIVE_INFINITY);
    return undefined;
  }
}

/** A cancellation is scheduled after the creation, at the earliest when the trade exists. */
async function createAndCancel(user, times, scheduledAt) {
  const trade = await timed(times.create, scheduledAt, () => user.api.trades.create(resting(user)));
  if (trade === undefined) return;
  const cancelAt = Math.max(scheduledAt + OPEN_MS, performance.now());
  await sleepUntil(cancelAt);
  await timed(times.cancel, cancelAt, () => user.api.trades.cancel(trade.id));
}

/** Lets the leader buy and sell once. Its credentials take turns, because each has a limit. */
export async function leaderTrades({ api, signed, account, pair }, strategy) {
  const order = { exchange_account_id: account.id, trade_pair_id: pair.id, strategy_id: strategy.id };
  for (const side of ['BUY', 'SELL']) {
    const caller = side === 'BUY' ? api : signed;
    const trade = await caller.trades.create({ ...order, type: 'MARKET', side, amount: '0.02' });
    await until(
      () => caller.trades.get(trade.id).catch((error) => ({ status: error.code })),
      ({ status }) => status === 'FILLED',
    );
    if (side === 'BUY') await sleep(HOLD_MS);
  }
}

/** From a leader's exit signal until the copy was sent. */
async function exitCopies(database, { copierId }, since) {
  const { rows } = await database.query(
    `SELECT extract(epoch FROM t.submitted_at - s.emitted_at)::float8 * 1000 AS ms
     FROM decisions d JOIN signals s ON s.id = d.signal_id JOIN trades t ON t.id = d.trade_id
     WHERE d.copier_id = $1 AND d.kind IN ('REDUCE', 'CLOSE') AND s.emitted_at > $2 AND t.submitted_at IS NOT NULL`,
    [decodeId('cpr', copierId), since],
  );
  return rows.map(({ ms }) => ms);
}

/** From the commit of an event until its first attempt begins. */
async function firstAttempts(database, { account }, since) {
  const { rows } = await database.query(
    `SELECT extract(epoch FROM a.attempted_at - e.created_at)::float8 * 1000 AS ms
     FROM outbox_events e JOIN webhook_deliveries d ON d.event_id = e.id
     JOIN webhook_attempts a ON a.delivery_id = d.id AND a.attempt = 1
     WHERE e.user_id = (SELECT user_id FROM exchange_accounts WHERE id = $1) AND e.created_at > $2`,
    [decodeId('exa', account.id), since],
  );
  return rows.map(({ ms }) => ms);
}
