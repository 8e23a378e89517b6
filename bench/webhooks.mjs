/**
 * Measures how many webhook deliveries one dispatcher sends and records per second. The baselines are a BullMQ worker and a
 * loop with undici that post similar bodies. It also measures the delay of single events from their commit to the receiver.
 *
 *   pnpm turbo run build && node bench/webhooks.mjs [--rounds 9] [--events 4000] [--concurrency 128] [--receiver-ms 0]
 *     [--seconds 30] [--profile dispatcher.cpuprofile]
 *
 * 1. One dispatcher runs as it is deployed, with its own durable Postgres and Redis (fsync, synchronous commit; append-only
 *    file). 40 users have two webhooks each. Each webhook has its own URL at one receiver.
 * 2. In a round of the product, the events are committed in one transaction. The time runs from that commit to the commit of
 *    the last delivery's record. It includes fan-out, signing with the webhook's sealed secret, the egress checks of the
 *    HTTP client, and two rows in Postgres for each delivery: the delivery and its attempt.
 * 3. The baselines send the same number of bodies of the same size with the same signatures, concurrency and number of
 *    kept-alive connections. BullMQ's time starts after its jobs were added, and ends with the last completed job.
 *    undici's time ends with the last response. Neither stores, checks, limits or retries anything.
 * 4. All three send to the same receiver, which responds with 204 immediately (or after `--receiver-ms`). In the first
 *    round, which is a warm-up, the `standardwebhooks` library checks every signature. The other rounds check that each
 *    delivery arrives once and that Postgres has one attempt of each.
 * 5. The delay: 100 events a second are committed in separate transactions. The delay of a delivery is the time from
 *    the commit of its event, by the database's clock, to its arrival at the receiver.
 */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';
import { withCpu } from './webhooks-cpu.mjs';
import { close, startEnvironment } from './webhooks-environment.mjs';
import { baselineRound, measureDelays, productRound } from './webhooks-rounds.mjs';

const USERS = 40;
const WEBHOOKS_PER_USER = 2;
const PER_SECOND = 100;
/** The minimum of the product's rate, relative to the BullMQ worker. */
const RATIO_TO_QUEUE_MIN = 0.5;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    events: { type: 'string', default: '4000' },
    concurrency: { type: 'string', default: '128' },
    'receiver-ms': { type: 'string', default: '0' },
    seconds: { type: 'string', default: '30' },
    profile: { type: 'string' },
  },
});
const events = Number(options.events);
const deliveries = events * WEBHOOKS_PER_USER;
const responseDelayMs = Number(options['receiver-ms']);

const median = (values) => quantile(values, 0.5);
const rounded = (number) => Math.round(number).toLocaleString('en-US');
const rate = (ms) => (deliveries / ms) * 1000;

/** @returns {Promise<Record<'product' | 'queue' | 'loop', import('./webhooks-rounds.mjs').Round>[]>} the rounds after the warm-up */
async function measure(context) {
  const rounds = [];
  for (let index = 0; index <= Number(options.rounds); index++) {
    const roundOptions = { events, responseDelayMs, checksSignatures: index === 0 };
    const loop = await withCpu(() =>
      baselineRound(context, context.baselines.loop, { ...roundOptions, isQueued: false }),
    );
    const queue = await withCpu(() =>
      baselineRound(context, context.baselines.queue, { ...roundOptions, isQueued: true }),
    );
    const isProfiled = options.profile !== undefined && index === Number(options.rounds);
    if (isProfiled) await startProfile(context);
    const product = await withCpu(() => productRound(context, roundOptions));
    if (isProfiled) await stopProfile(context);
    console.error(
      `deliveries a second: product ${rounded(rate(product.settledMs))}, BullMQ ${rounded(rate(queue.settledMs))}, undici ${rounded(rate(loop.settledMs))}`,
    );
    // Autovacuum would analyse the tables only after minutes; until then, plans assume empty tables.
    if (index === 0) await context.database.query('ANALYZE');
    else rounds.push({ product, queue, loop });
  }
  return rounds;
}

async function startProfile({ database, switchProfile }) {
  await database.query('SELECT pg_stat_statements_reset()');
  switchProfile();
  await sleep(500);
}

async function stopProfile({ database, switchProfile }) {
  const statements = await database.query(
    `SELECT calls::int, rows::int, round(total_exec_time)::int AS ms, round(wal_bytes / 1024)::int AS "wal KiB",
       regexp_replace(left(query, 100), '\\s+', ' ', 'g') AS query
     FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 16`,
  );
  console.table(statements);
  switchProfile();
  await sleep(1_000);
}

function report(rounds) {
  const medianOf = (value) => median(rounds.map(value));
  const row = (side) => {
    const rates = rounds.map((round) => rate(round[side].settledMs));
    return {
      'deliveries/s': rounded(median(rates)),
      slowest: rounded(Math.min(...rates)),
      fastest: rounded(Math.max(...rates)),
      'first to last arrival, /s': rounded(medianOf((round) => rate(round[side].receivedMs))),
      'of BullMQ': medianOf(({ [side]: measured, queue }) => queue.settledMs / measured.settledMs).toFixed(3),
      'of undici': medianOf(({ [side]: measured, loop }) => loop.settledMs / measured.settledMs).toFixed(3),
    };
  };
  console.log(
    `\n${rounded(deliveries)} deliveries a round, ${options.concurrency} at once, receiver responds after ${responseDelayMs} ms; median of ${rounds.length} interleaved rounds`,
  );
  console.table({ product: row('product'), BullMQ: row('queue'), undici: row('loop') });
  const ratioToQueue = medianOf(({ product, queue }) => queue.settledMs / product.settledMs);
  const ratioWithAdding = medianOf(
    ({ product, queue }) => (queue.settledMs + queue.addMs) / product.settledMs,
  );
  const formatRatio = (ratio) =>
    `${ratio.toFixed(3)} (target ≥ ${RATIO_TO_QUEUE_MIN}: ${ratio >= RATIO_TO_QUEUE_MIN ? 'met' : 'MISSED'})`;
  console.log(`relative to BullMQ, including the time to add its jobs: ${formatRatio(ratioWithAdding)}`);
  console.log(`relative to BullMQ, with jobs added beforehand: ${formatRatio(ratioToQueue)}`);
}

/** Prints CPU times, which depend less on other load of the machine than the rates. */
function reportCpu(rounds) {
  const row = (side) =>
    Object.fromEntries(
      Object.keys(rounds[0][side].cpu).map((kind) => [
        kind,
        rounded((median(rounds.map((round) => round[side].cpu[kind])) * 1000) / deliveries),
      ]),
    );
  console.log('CPU time per delivery in µs, including adding its job:');
  console.table({ product: row('product'), BullMQ: row('queue'), undici: row('loop') });
}

async function reportDelays(context) {
  const delaysMs = await measureDelays(context, { perSecond: PER_SECOND, seconds: Number(options.seconds) });
  const figure = (share) => quantile(delaysMs, share).toFixed(1);
  console.log(
    `\n${PER_SECOND} events a second for ${options.seconds} s, ${rounded(delaysMs.length)} deliveries: commit to arrival p50 ${figure(0.5)} ms, p99 ${figure(0.99)} ms, longest ${figure(1)} ms`,
  );
}

async function run() {
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  const context = await startEnvironment({
    users: USERS,
    webhooksPerUser: WEBHOOKS_PER_USER,
    concurrency: Number(options.concurrency),
    profileFile: options.profile,
  });
  if (Number(options.rounds) > 0) {
    const rounds = await measure(context);
    report(rounds);
    if (rounds[0].product.cpu !== undefined) reportCpu(rounds);
  }
  if (Number(options.seconds) > 0) await reportDelays(context);
}

await runAndClose(run, close);
