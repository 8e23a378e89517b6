/**
 * Measures how much one user who presses with all that the limits allow slows down another user.
 *
 *   pnpm turbo run build && node bench/fairness.mjs
 *
 * 1. A quiet user lists, creates and cancels trades, copies a leader's entries and exits, and receives webhooks. It is
 *    measured in both halves of a round: beside the presser, and beside a second quiet user.
 * 2. The presser has as many API keys as its user's limit allows, and a key pair. It sends requests without a pause, tests an
 *    exchange and webhooks that never respond, creates and cancels trades, simulates a copier over 20,000 signals, and
 *    opens streams and sockets. The measurement begins when each of its limits was reached.
 * 3. The second quiet user sends the requests that the presser was served in the last pressed half, evenly distributed, so
 *    that it stays below its limits. Both halves therefore contain the same load.
 * 4. Rounds are interleaved, and their halves change places. Each ratio is the median of the ratios of all rounds.
 *
 * The exit code is 1 if a ratio is above 2, if the presser did not reach a limit, or if the second quiet user reached one.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, cpus, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeId } from '@trading-automation/contracts';
import { until } from '../tooling/launch/first-trade/scenario.mjs';
import { atEnd, close, openTrader, startEnvironment } from './fairness-environment.mjs';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const HALF_SECONDS = 15;
const STEP_MS = 500;
/** The user's limit is that of three credentials. */
const PRESSER_KEYS = 3;
/** How long what was begun in a half may take to end, before the next half begins. */
const SETTLE_MS = 2_000;
const RATIO_MAX = 2;
const HISTORY = 20_000;
/** The kinds of requests of the presser that a limit must have refused. */
const LIMITED = [
  'list',
  'create',
  'cancel',
  'test of an exchange',
  'test of a webhook',
  'simulation',
  'event stream',
  'socket',
];
const MEASURED = ['list', 'create', 'cancel', 'exit copy', 'webhook'];

const resting = ({ account, pair }) => ({
  exchange_account_id: account.id,
  trade_pair_id: pair.id,
  type: 'LIMIT',
  side: 'BUY',
  price: 1_000,
  amount: '0.01',
});

async function measure() {
  const environment = await startEnvironment();
  const leader = await openTrader(environment, 'leader');
  const strategy = await leader.api.strategies.create({
    name: 'followed',
    exchange_account_id: leader.account.id,
    visibility: 'PUBLIC',
  });
  const user = await openQuiet(environment, strategy);
  const history = await openHistory(environment, leader, strategy);
  const presser = await openLoad(environment, { strategy, history, name: 'presser', keys: PRESSER_KEYS });
  const second = await openLoad(environment, { strategy, history, name: 'second', keys: PRESSER_KEYS });
  const run = () => runHalf(environment, { leader, strategy, user });
  const pressed = async () => {
    await presser.press();
    return { times: await run(), counts: await presser.stop() };
  };
  let { counts: served } = await pressed();
  const beside = {
    presser: async () => {
      const half = await pressed();
      served = half.counts;
      return half;
    },
    second: async () => {
      await second.pace(served);
      return { times: await run(), counts: await second.stop() };
    },
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const halves = {};
    for (const name of round % 2 === 0 ? ['second', 'presser'] : ['presser', 'second'])
      halves[name] = await beside[name]();
    rounds.push(halves);
    console.error(
      `round ${round + 1}: ${MEASURED.map((kind) => `${kind} ${ratioOf(halves, kind).toFixed(2)}`).join(', ')}`,
    );
  }
  report(rounds);
}

async function openQuiet(environment, strategy) {
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

/** Creates a strategy with a history of signals to simulate. */
async function openHistory({ database }, leader, strategy) {
  await leaderTrades(leader, strategy, 1);
  const history = await leader.api.strategies.create({
    name: 'history',
    exchange_account_id: leader.account.id,
    visibility: 'PUBLIC',
  });
  await writeHistory(database, strategy.id, history.id);
  return history;
}

/** Opens a user whose requests a process of its own sends. */
async function openLoad(environment, { strategy, history, name, keys: count }) {
  const { restUrl, graphqlUrl, silentUrl } = environment;
  const user = await openTrader(environment, name);
  const keys = [user.key];
  while (keys.length < count)
    keys.push((await user.signed.apiKeys.create({ name, permissions: ['READ', 'TRADE'] })).key);
  const copier = await user.api.copiers.create({
    name: 'simulated',
    strategy_id: history.id,
    exchange_account_id: user.account.id,
    sizing: { mode: 'FIXED_QUOTE', value: '200' },
  });
  const slowWebhooks = [];
  for (let i = 0; i < 8; i++)
    slowWebhooks.push((await user.signed.webhooks.create({ url: silentUrl, events: ['reward.*'] })).id);
  const child = fork(join(import.meta.dirname, 'fairness-presser.mjs'), [], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // In a deployment, clients run on other machines than the product.
  setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const settings = {
    restUrl,
    graphqlUrl,
    user: { keys, privateKey: [...user.privateKey], strategyId: strategy.id },
    resting: resting(user),
    silentVenue: { exchange: 'silent', trading_type: 'spot', credentials: user.credentials },
    slowWebhooks,
    copierId: copier.id,
  };
  atEnd(() => child.kill());
  return {
    /** Resolves when each limit was reached. */
    async press() {
      child.send({ press: settings });
      await once(child, 'message');
    },
    /** Sends as many requests as were served in `counts`, within one half. */
    async pace(counts) {
      child.send({ pace: settings, counts, seconds: HALF_SECONDS });
      await once(child, 'message');
    },
    async stop() {
      child.send({ stop: true });
      const [{ counts }] = await once(child, 'message');
      // Slow tests occupy the worker until their time limit.
      await sleep(10_000);
      return counts;
    },
  };
}

/** Copies one signal of a strategy `HISTORY` times to another one, as its planned past. */
async function writeHistory(database, from, to) {
  const [source, target] = [decodeId('str', from), decodeId('str', to)];
  await database.query(
    `INSERT INTO signals SELECT r.*
     FROM (SELECT * FROM signals WHERE strategy_id = $1 ORDER BY sequence LIMIT 1) s, generate_series(1, ${HISTORY}) g,
       jsonb_populate_record(NULL::signals, to_jsonb(s) || jsonb_build_object('id', gen_random_uuid(),
         'strategy_id', $2::uuid, 'sequence', g, 'lot_trade_id', gen_random_uuid(), 'source_trade_id', gen_random_uuid(),
         'source_fill_id', gen_random_uuid(), 'lot_first_sequence', g)) r`,
    [source, target],
  );
  await database.query(
    `INSERT INTO strategy_sequences (strategy_id, last_sequence) VALUES ($1, ${HISTORY})
     ON CONFLICT (strategy_id) DO UPDATE SET last_sequence = excluded.last_sequence`,
    [target],
  );
  await database.query(
    `INSERT INTO copy_progress (strategy_id, planned_sequence) VALUES ($1, ${HISTORY})
     ON CONFLICT (strategy_id) DO UPDATE SET planned_sequence = excluded.planned_sequence`,
    [target],
  );
}

/** Lets the leader buy and sell `times` times. */
async function leaderTrades({ api, account, pair }, strategy, times) {
  const order = { exchange_account_id: account.id, trade_pair_id: pair.id, strategy_id: strategy.id };
  for (let i = 0; i < times; i++) {
    for (const side of ['BUY', 'SELL']) {
      const trade = await api.trades.create({ ...order, type: 'MARKET', side, amount: '0.02' });
      await until(
        () => api.trades.get(trade.id),
        ({ status }) => status === 'FILLED',
      );
      await sleep(STEP_MS);
    }
  }
}

/** Runs the load of the measured user for one half of a round. @returns the p99 of the user, in ms, by kind of work */
async function runHalf({ database }, { leader, strategy, user }) {
  const [{ now }] = (await database.query('SELECT clock_timestamp() AS now')).rows;
  const endsAt = performance.now() + HALF_SECONDS * 1_000;
  const leading = (async () => {
    while (performance.now() < endsAt) await leaderTrades(leader, strategy, 1);
  })();
  const times = await runUser(user, endsAt);
  await leading;
  await sleep(SETTLE_MS);
  times['exit copy'] = await exitCopies(database, user, now);
  times.webhook = await firstAttempts(database, user, now);
  return Object.fromEntries(
    MEASURED.map((kind) => {
      if (times[kind].length === 0) throw new Error(`no ${kind} was measured`);
      return [kind, quantile(times[kind], 0.99)];
    }),
  );
}

/** Sends a list, a new trade and the cancellation of the previous one at every step, whether or not they are slow. */
async function runUser(user, endsAt) {
  const times = { list: [], create: [], cancel: [] };
  const timed = async (kind, work) => {
    const startedAt = performance.now();
    const result = await work();
    times[kind].push(performance.now() - startedAt);
    return result;
  };
  const pending = [];
  for (let step = 0; performance.now() < endsAt; step++) {
    pending.push(timed('list', () => user.api.trades.list({ limit: 50 })));
    if (step % 2 === 0) pending.push(createAndCancel(user, timed));
    await sleep(STEP_MS);
  }
  await Promise.all(pending);
  return times;
}

async function createAndCancel(user, timed) {
  const trade = await timed('create', () => user.api.trades.create(resting(user)));
  await sleep(2 * STEP_MS);
  await timed('cancel', () => user.api.trades.cancel(trade.id));
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

const ratioOf = ({ presser, second }, kind) => presser.times[kind] / second.times[kind];

function report(rounds) {
  const [cpu] = cpus();
  console.log(`${cpu?.model.trim()} x ${cpus().length}, Node ${process.version}`);
  console.log(
    `p99 of a quiet user in ms; median of ${rounds.length} interleaved rounds of 2 times ${HALF_SECONDS} s\n`,
  );
  console.log('                 beside a quiet user   beside the presser   ratio');
  let isKept = true;
  for (const kind of MEASURED) {
    const of = (half) =>
      quantile(
        rounds.map((round) => round[half].times[kind]),
        0.5,
      );
    const ratios = rounds.map((round) => ratioOf(round, kind));
    const ratio = quantile(ratios, 0.5);
    isKept &&= ratio <= RATIO_MAX;
    console.log(
      `${kind.padEnd(16)} ${of('second').toFixed(1).padStart(19)} ${of('presser').toFixed(1).padStart(20)} ${ratio.toFixed(2).padStart(7)}   (limit ${RATIO_MAX}: ${ratio <= RATIO_MAX ? 'kept' : 'missed'}; ${ratios.map((each) => each.toFixed(2)).join(', ')})`,
    );
  }
  console.log(
    '\n                       served   refused   failed   of the second quiet user: served   refused',
  );
  for (const kind of LIMITED) {
    const sum = (half, name) =>
      rounds.reduce((total, round) => total + (round[half].counts[kind]?.[name] ?? 0), 0);
    const cell = (half, name, width) => String(sum(half, name)).padStart(width);
    const isAsIntended = sum('presser', 'refused') > 0 && sum('second', 'refused') === 0;
    isKept &&= isAsIntended;
    console.log(
      `${kind.padEnd(22)} ${cell('presser', 'served', 6)} ${cell('presser', 'refused', 9)} ${cell('presser', 'failed', 8)} ${cell('second', 'served', 34)} ${cell('second', 'refused', 9)}${isAsIntended ? '' : '   not as intended'}`,
    );
  }
  process.exitCode = isKept ? 0 : 1;
}

await runAndClose(measure, close);
