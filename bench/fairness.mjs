/**
 * Measures how much one user who presses with all that the limits allow slows down another user.
 *
 *   pnpm turbo run build && node bench/fairness.mjs [rounds] [seconds of half a round]
 *
 * 1. A quiet user lists, creates and cancels trades, copies a leader's entries and exits, and receives webhooks, at fixed
 *    times. It is measured in both halves of a round: beside the presser, and beside a second quiet user.
 * 2. The presser has as many API keys as its user's limit allows, and a key pair. It sends requests without a pause, tests an
 *    exchange and webhooks that never respond, creates and cancels trades, simulates a copier over 20,000 signals, and
 *    opens streams and sockets. The measurement begins when each of its limits was reached; otherwise, the run fails.
 * 3. The second quiet user sends the requests that the presser was served in the last pressed half, at fixed times, so
 *    that it stays below its limits. Both halves therefore contain the same load.
 * 4. Rounds are interleaved, and their halves change places. Each ratio is the median of the ratios of all rounds.
 *
 * The exit code is 1 if a ratio is above 2, if the presser did not reach a limit, or if the second quiet user reached one or
 * had another load.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeId } from '@trading-automation/contracts';
import { atEnd, close, openTrader, startEnvironment } from './fairness-environment.mjs';
import { report, reportRound } from './fairness-report.mjs';
import { leaderTrades, openQuiet, resting, runHalf } from './fairness-user.mjs';
import { runAndClose } from './run.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const HALF_SECONDS = Number(process.argv[3] ?? 36);
const WARM_UP_SECONDS = 5;
/** The user's limit is that of three credentials. */
const PRESSER_KEYS = 3;
/** How long the slow tests of a half occupy the worker after its end, in ms. */
const REST_MS = 10_000;
const HISTORY = 20_000;

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
  const presser = await openLoad(environment, { history, name: 'presser', keys: PRESSER_KEYS });
  const second = await openLoad(environment, { history, name: 'second', keys: PRESSER_KEYS });
  const run = (seconds = HALF_SECONDS) => runHalf(environment, { leader, strategy, user }, seconds);
  await run(WARM_UP_SECONDS);
  let wanted;
  const beside = {
    presser: async () => {
      await presser.start();
      const half = { times: await run(), ...(await presser.stop()) };
      wanted = half.counts;
      return half;
    },
    second: async () => {
      await second.start(wanted);
      return { times: await run(), ...(await second.stop()), wanted };
    },
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const halves = {};
    for (const name of round % 2 === 0 ? ['presser', 'second'] : ['second', 'presser'])
      halves[name] = await beside[name]();
    rounds.push(halves);
    reportRound(round + 1, halves);
  }
  process.exitCode = report(rounds, HALF_SECONDS) ? 0 : 1;
}

/** Creates a strategy with a history of signals to simulate. */
async function openHistory({ database }, leader, strategy) {
  await leaderTrades(leader, strategy);
  const history = await leader.api.strategies.create({
    name: 'history',
    exchange_account_id: leader.account.id,
    visibility: 'PUBLIC',
  });
  await writeHistory(database, strategy.id, history.id);
  return history;
}

/** Opens a user whose requests a process of its own sends. */
async function openLoad(environment, { history, name, keys: count }) {
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
    detached: true,
  });
  yieldProcessor(child.pid);
  const settings = {
    restUrl,
    graphqlUrl,
    user: { keys, privateKey: [...user.privateKey] },
    resting: resting(user),
    silentVenue: { exchange: 'silent', trading_type: 'spot', credentials: user.credentials },
    slowWebhooks,
    copierId: copier.id,
  };
  atEnd(() => child.kill());
  return {
    /**
     * Presses, or sends as many requests as were served in `pace`. The counts are those of the next half.
     *
     * @throws if the presser did not reach a limit
     */
    async start(pace) {
      child.send({ settings, pace, seconds: HALF_SECONDS });
      const [{ missing }] = await once(child, 'message');
      if (missing.length > 0) throw new Error(`the presser did not reach the limits: ${missing.join(', ')}`);
    },
    /** @returns the number of served, refused and failed requests by kind, and the limits that were reached */
    async stop() {
      child.send({ stop: true });
      const [{ counts, reached }] = await once(child, 'message');
      await sleep(REST_MS);
      return { counts, reached };
    },
  };
}

/**
 * Gives a client the lowest priority, because in a deployment, clients run on other machines than the product. Linux may compare
 * priorities only within a session, and sessions by a priority of their own.
 */
function yieldProcessor(pid) {
  const { PRIORITY_LOW } = constants.priority;
  setPriority(pid, PRIORITY_LOW);
  const ofSession = `/proc/${pid}/autogroup`;
  if (existsSync(ofSession)) writeFileSync(ofSession, String(PRIORITY_LOW));
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

await runAndClose(measure, close);
