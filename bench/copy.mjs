/**
 * One signal to many copiers: how fast copies are planned, sent and acknowledged, beside a bare loop that sends the same
 * orders to the same exchange.
 *
 *   pnpm turbo run build && node bench/copy.mjs [--rounds 7] [--rounds-of-10000 3] [--profile worker.cpuprofile]
 *
 * 1. The product as `npm start` runs it, with one trading worker and everything acknowledged on its way to the disk:
 *    Postgres, Redis, the REST API and the paper exchange, on one machine. 1,000 accounts of ten users, each with a
 *    stream of its own; then nine more copiers on each. Limits are counted as usual, but raised so that none is reached.
 * 2. A round: the leader buys at market through `POST /v1/trades`; the worker receives the fill from the exchange's
 *    stream, and every copier buys by an IOC limit order. Then the bare loop sends the same orders (side, amount, price)
 *    on as many other accounts, from a process of its own over as many connections as the worker opens. Then the leader
 *    sells, and every copier with it.
 * 3. All times use the database's clock, from `emitted_at` of the signal: when the leader's fill was stored. `sent` is
 *    `submitted_at`, written before the order goes out; `filled` is the exchange's own instant of the fill; `stored` is
 *    the commit of the last copier's decision and order; `acknowledged` that the last order's answer is stored.
 *    The bare loop stores nothing: it is done when it has the last response. So it is compared with the time until
 *    the exchange has filled the last copy; the time until all of that is stored is printed as well.
 * 4. Each round checks that every copier has one decision, with its own order, which filled. The end checks that the
 *    exchange's ledger holds each copy once and nothing else.
 */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { close, startProduct } from './copy-environment.mjs';
import { addCopiers, createParticipants } from './copy-participants.mjs';
import { assertLedgers, baselineOrders, baselineRound, copyRound, waitUntilIdle } from './copy-rounds.mjs';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';

const TARGETS = { storedMs: 250, ofBare: 0.5, sentP50Ms: 5, sentP99Ms: 25 };
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

/** Rounds whose leader's order met two prices are made again. The first one warms up. */
async function measure(scene, count) {
  const rounds = [];
  while (rounds.length <= count) {
    await waitUntilIdle(scene);
    if (rounds.length === count) await profile(scene);
    const entries = await copyRound(scene, 'BUY');
    if (rounds.length === count) await profile(scene);
    await waitUntilIdle(scene);
    const bareMs =
      entries &&
      (await baselineRound(
        scene.paperExchangeUrl,
        await baselineOrders(scene.database, scene, entries.signalId),
      ));
    await waitUntilIdle(scene);
    const exits = await copyRound(scene, 'SELL');
    if (entries === null || exits === null) continue;
    rounds.push({ entries, exits, bareMs });
    // As autovacuum leaves the tables within minutes: until then plans are those of empty ones.
    if (rounds.length === 1) await scene.database.query('ANALYZE');
    console.error(
      `${entries.copies} copies: stored ${whole(entries.storedMs)} ms, acknowledged ${whole(entries.acknowledgedMs)} ms; bare ${whole(bareMs)} ms; exits acknowledged ${whole(exits.acknowledgedMs)} ms`,
    );
  }
  return rounds.slice(1);
}

async function profile({ switchProfile }) {
  if (options.profile === undefined) return;
  switchProfile();
  await sleep(500);
}

const whole = (ms) => Math.round(ms).toLocaleString('en-US');

function report(rounds) {
  const of = (value) => median(rounds.map(value));
  const { copies } = rounds[0].entries;
  const ofBare = of(({ entries, bareMs }) => bareMs / entries.filledMs);
  const storedOfBare = of(({ entries, bareMs }) => bareMs / entries.acknowledgedMs);
  const row = (side) => ({
    'sent p50 ms': whole(of((round) => round[side].sentP50Ms)),
    'sent p99 ms': whole(of((round) => round[side].sentP99Ms)),
    'filled p50 ms': whole(of((round) => round[side].filledP50Ms)),
    'filled p99 ms': whole(of((round) => round[side].filledP99Ms)),
    'all filled ms': whole(of((round) => round[side].filledMs)),
    'stored ms': side === 'entries' ? whole(of((round) => round[side].storedMs)) : '',
    'acknowledged ms': whole(of((round) => round[side].acknowledgedMs)),
    'settled ms': whole(of((round) => round[side].settledMs)),
    'filled a second': whole(of((round) => (copies / round[side].filledMs) * 1_000)),
    'acknowledged a second': whole(of((round) => (copies / round[side].acknowledgedMs) * 1_000)),
  });
  console.log(`\n1 signal to ${copies.toLocaleString('en-US')} copiers, median of ${rounds.length} rounds`);
  console.table({
    entries: row('entries'),
    exits: row('exits'),
    'bare loop': {
      'acknowledged ms': whole(of(({ bareMs }) => bareMs)),
      'filled a second': whole(of(({ bareMs }) => (copies / bareMs) * 1_000)),
    },
  });
  printResult('filled, of the bare loop', ofBare.toFixed(3), '≥', TARGETS.ofBare, ofBare >= TARGETS.ofBare);
  console.log(`filled and stored, of the bare loop: ${storedOfBare.toFixed(3)}`);
  if (copies !== 1_000) return;
  for (const [name, words] of Object.entries({
    storedMs: 'all planned and stored, ms',
    sentP50Ms: 'sent p50, ms',
    sentP99Ms: 'sent p99, ms',
  })) {
    const value = of(({ entries }) => entries[name]);
    printResult(words, whole(value), '≤', TARGETS[name], value <= TARGETS[name]);
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
  const cast = await createParticipants(product, Number(options['accounts-per-user']));
  const scene = { ...product, ...cast };
  await addCopiers(cast, 'first');
  report(await measure(scene, Number(options.rounds)));
  if (Number(options['rounds-of-10000']) > 0) {
    for (let nth = 1; nth < COPIERS_PER_ACCOUNT; nth++) await addCopiers(cast, `copier ${nth}`);
    report(await measure(scene, Number(options['rounds-of-10000'])));
  }
  const copies = await assertLedgers(scene);
  console.log(
    `\n${copies.toLocaleString('en-US')} copies: each is one order in the exchange's ledger, none is lost`,
  );
}

await runAndClose(run, close);
