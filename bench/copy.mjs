/**
 * Measures how fast the copies of one signal are planned, sent and acknowledged. The baseline is a bare loop that sends the
 * same orders to the same exchange.
 *
 *   pnpm turbo run build && node bench/copy.mjs [--rounds 7] [--rounds-of-10000 3] [--profile worker.cpuprofile]
 *
 * 1. The product runs on one machine as with `npm start`: one trading worker, Postgres, Redis, the REST API and the paper
 *    exchange. Postgres and Redis write acknowledged data to the disk. Ten users have 1,000 accounts in total. Each
 *    account has one stream, and first one copier, later ten. Limits are counted as usual, but raised so that none is
 *    reached by a run.
 * 2. In a round, the leader places a market buy through `POST /v1/trades`. The worker receives the fill from the exchange's
 *    stream, and every copier buys with an IOC limit order. Then the bare loop sends the same orders (side, amount, price)
 *    on the same number of other accounts, from a separate process with as many connections as the worker. Then the leader
 *    and all copiers sell.
 * 3. All times use the database's clock and begin at `emitted_at` of the signal, when the leader's fill was stored. `sent`
 *    is `submitted_at`, written before the order is sent. `filled` is the time of the fill at the exchange. `stored` is
 *    the commit of the last copier's decision and order. `acknowledged` is when the last order's response is stored.
 *    The bare loop stores nothing and ends with the last response. It is compared with the time until the exchange has
 *    filled the last copy; the time until everything is stored is printed as well.
 * 4. Each round checks that every copier has one decision with its own order, which filled. At the end, the
 *    run checks that the exchange has exactly one order for each copy and no other orders.
 */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { close, startProduct } from './copy-environment.mjs';
import { addCopiers, createParticipants } from './copy-participants.mjs';
import { assertLedgers, baselineOrders, baselineRound, copyRound, waitUntilIdle } from './copy-rounds.mjs';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';

const TARGETS = { storedMs: 250, ratioToBare: 0.5, sentP50Ms: 5, sentP99Ms: 25 };
const COPIERS_PER_ACCOUNT = 10;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    'rounds-of-10000': { type: 'string', default: '3' },
    'accounts-per-user': { type: 'string', default: '100' },
    profile: { type: 'string' },
  },
});

const median = (values) => quantile(values, 0.5);

/**
 * Returns the figures of `count` rounds. Repeats a round if the leader's order filled at two prices. The first round
 * warms up.
 */
async function measure(context, count) {
  const rounds = [];
  while (rounds.length <= count) {
    await waitUntilIdle(context);
    if (rounds.length === count) await toggleProfile(context);
    const entries = await copyRound(context, 'BUY');
    if (rounds.length === count) await toggleProfile(context);
    await waitUntilIdle(context);
    const bareMs =
      entries &&
      (await baselineRound(
        context.paperExchangeUrl,
        await baselineOrders(context.database, context, entries.signalId),
      ));
    await waitUntilIdle(context);
    const exits = await copyRound(context, 'SELL');
    if (entries === null || exits === null) continue;
    rounds.push({ entries, exits, bareMs });
    // Autovacuum would analyse the tables only after minutes; until then, plans assume empty tables.
    if (rounds.length === 1) await context.database.query('ANALYZE');
    console.error(
      `${entries.copies} copies: stored ${rounded(entries.storedMs)} ms, acknowledged ${rounded(entries.acknowledgedMs)} ms; bare ${rounded(bareMs)} ms; exits acknowledged ${rounded(exits.acknowledgedMs)} ms`,
    );
  }
  return rounds.slice(1);
}

async function toggleProfile({ switchProfile }) {
  if (options.profile === undefined) return;
  switchProfile();
  await sleep(500);
}

const rounded = (ms) => Math.round(ms).toLocaleString('en-US');

function report(rounds) {
  const medianOf = (value) => median(rounds.map(value));
  const { copies } = rounds[0].entries;
  const ratioToBare = medianOf(({ entries, bareMs }) => bareMs / entries.filledMs);
  const acknowledgedRatioToBare = medianOf(({ entries, bareMs }) => bareMs / entries.acknowledgedMs);
  const row = (side) => ({
    'sent p50 ms': rounded(medianOf((round) => round[side].sentP50Ms)),
    'sent p99 ms': rounded(medianOf((round) => round[side].sentP99Ms)),
    'filled p50 ms': rounded(medianOf((round) => round[side].filledP50Ms)),
    'filled p99 ms': rounded(medianOf((round) => round[side].filledP99Ms)),
    'all filled ms': rounded(medianOf((round) => round[side].filledMs)),
    'stored ms': side === 'entries' ? rounded(medianOf((round) => round[side].storedMs)) : '',
    'acknowledged ms': rounded(medianOf((round) => round[side].acknowledgedMs)),
    'settled ms': rounded(medianOf((round) => round[side].settledMs)),
    'filled a second': rounded(medianOf((round) => (copies / round[side].filledMs) * 1_000)),
    'acknowledged a second': rounded(medianOf((round) => (copies / round[side].acknowledgedMs) * 1_000)),
  });
  console.log(`\n1 signal to ${copies.toLocaleString('en-US')} copiers, median of ${rounds.length} rounds`);
  console.table({
    entries: row('entries'),
    exits: row('exits'),
    'bare loop': {
      'acknowledged ms': rounded(medianOf(({ bareMs }) => bareMs)),
      'filled a second': rounded(medianOf(({ bareMs }) => (copies / bareMs) * 1_000)),
    },
  });
  printResult(
    'filled, of the bare loop',
    ratioToBare.toFixed(3),
    '≥',
    TARGETS.ratioToBare,
    ratioToBare >= TARGETS.ratioToBare,
  );
  console.log(`acknowledged, of the bare loop: ${acknowledgedRatioToBare.toFixed(3)}`);
  if (copies !== 1_000) return;
  for (const [name, label] of Object.entries({
    storedMs: 'all planned and stored, ms',
    sentP50Ms: 'sent p50, ms',
    sentP99Ms: 'sent p99, ms',
  })) {
    const value = medianOf(({ entries }) => entries[name]);
    printResult(label, rounded(value), '≤', TARGETS[name], value <= TARGETS[name]);
  }
}

function printResult(what, value, relation, target, isMet) {
  console.log(`${what}: ${value} (target ${relation} ${target}: ${isMet ? 'met' : 'MISSED'})`);
}

async function run() {
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  const product = await startProduct({ profileFile: options.profile });
  const participants = await createParticipants(product, Number(options['accounts-per-user']));
  const context = { ...product, ...participants };
  await addCopiers(participants, 'first');
  report(await measure(context, Number(options.rounds)));
  if (Number(options['rounds-of-10000']) > 0) {
    for (let number = 1; number < COPIERS_PER_ACCOUNT; number++)
      await addCopiers(participants, `copier ${number}`);
    report(await measure(context, Number(options['rounds-of-10000'])));
  }
  const copies = await assertLedgers(context);
  console.log(
    `\n${copies.toLocaleString('en-US')} copies: each is one order in the exchange's ledger, none is lost`,
  );
}

await runAndClose(run, close);
