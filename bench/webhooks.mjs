/**
 * Webhooks: how many deliveries a second one dispatcher makes and records, beside a bare BullMQ worker that posts the same
 * bodies and beside bare undici; and how long a single event waits from its commit to its first byte at the receiver.
 *
 *   pnpm turbo run build && node bench/webhooks.mjs [--rounds 9] [--events 4000] [--concurrency 128] [--receiver-ms 0]
 *     [--seconds 30] [--profile dispatcher.cpuprofile]
 *
 * 1. One dispatcher as it is deployed, on its own Postgres and Redis, which are both durable
 *    (fsync, synchronous commit; append-only file). 40 users with two webhooks each, with URLs of
 *    their own at one receiver.
 * 2. A round of ours: the events are committed in one transaction, and the clock runs from that commit to the commit of
 *    the last delivery's record: fan-out, signing with the webhook's sealed secret, the walls of the one HTTP client,
 *    a delivery and an attempt in Postgres for each.
 * 3. The peers send as many bodies of the same size, signed in the same way, as many at once as the dispatcher does, over as
 *    many connections that are kept alive. BullMQ's jobs are there before its clock starts, which runs to the last job's
 *    completion; undici's runs to the last answer. Neither keeps, judges, limits or repeats anything.
 * 4. All three send to the same receiver, which answers 204 at once (or after `--receiver-ms`). Every signature is
 *    checked by the `standardwebhooks` library in the first round, which warms up; in the others, that each delivery
 *    comes once, and that Postgres has one attempt of each.
 * 5. The wait: 100 events a second, each committed by a transaction of its own; from that commit by the database's clock
 *    to the first byte at the receiver, of every delivery.
 */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';
import { withCpu } from './webhooks-cpu.mjs';
import { close, startEnvironment } from './webhooks-environment.mjs';
import { baselineRound, measureWaits, productRound } from './webhooks-rounds.mjs';

const USERS = 40;
const WEBHOOKS_PER_USER = 2;
const PER_SECOND = 100;
/** The least that it shall do of what the BullMQ loop does. */
const OF_QUEUE_MIN = 0.5;

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
const waitMs = Number(options['receiver-ms']);

const median = (values) => quantile(values, 0.5);
const whole = (number) => Math.round(number).toLocaleString('en-US');
const rate = (ms) => (deliveries / ms) * 1000;

/** @returns {Promise<Record<'ours' | 'queue' | 'loop', import('./webhooks-rounds.mjs').Round>[]>} the first one warms up */
async function measure(scene) {
  const rounds = [];
  for (let nth = 0; nth <= Number(options.rounds); nth++) {
    const asked = { events, waitMs, isChecked: nth === 0 };
    const loop = await withCpu(() => baselineRound(scene, scene.peers.loop, { ...asked, isQueued: false }));
    const queue = await withCpu(() => baselineRound(scene, scene.peers.queue, { ...asked, isQueued: true }));
    const isProfiled = options.profile !== undefined && nth === Number(options.rounds);
    if (isProfiled) await beginProfile(scene);
    const ours = await withCpu(() => productRound(scene, asked));
    if (isProfiled) await endProfile(scene);
    console.error(
      `deliveries a second: ours ${whole(rate(ours.settledMs))}, BullMQ ${whole(rate(queue.settledMs))}, undici ${whole(rate(loop.settledMs))}`,
    );
    // As autovacuum leaves the tables within minutes: until then plans are those of empty ones.
    if (nth === 0) await scene.database.query('ANALYZE');
    else rounds.push({ ours, queue, loop });
  }
  return rounds;
}

async function beginProfile({ database, switchProfile }) {
  await database.query('SELECT pg_stat_statements_reset()');
  switchProfile();
  await sleep(500);
}

async function endProfile({ database, switchProfile }) {
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
  const of = (value) => median(rounds.map(value));
  const row = (who) => {
    const rates = rounds.map((round) => rate(round[who].settledMs));
    return {
      'deliveries/s': whole(median(rates)),
      least: whole(Math.min(...rates)),
      most: whole(Math.max(...rates)),
      'first to last byte, /s': whole(of((round) => rate(round[who].receivedMs))),
      'of BullMQ': of(({ [who]: mine, queue }) => queue.settledMs / mine.settledMs).toFixed(3),
      'of undici': of(({ [who]: mine, loop }) => loop.settledMs / mine.settledMs).toFixed(3),
    };
  };
  console.log(
    `\n${whole(deliveries)} deliveries a round, ${options.concurrency} at once, receiver answers after ${waitMs} ms; median of ${rounds.length} interleaved rounds`,
  );
  console.table({ ours: row('ours'), BullMQ: row('queue'), undici: row('loop') });
  const ofQueue = of(({ ours, queue }) => queue.settledMs / ours.settledMs);
  const ofAdding = of(({ ours, queue }) => (queue.settledMs + queue.addMs) / ours.settledMs);
  const judged = (ratio) =>
    `${ratio.toFixed(3)} (target ≥ ${OF_QUEUE_MIN}: ${ratio >= OF_QUEUE_MIN ? 'met' : 'MISSED'})`;
  console.log(`of the BullMQ loop, jobs added within its clock as within ours: ${judged(ofAdding)}`);
  console.log(`of the BullMQ loop, jobs there before its clock starts: ${judged(ofQueue)}`);
}

/** Depends less on other load of the machine than the rates do. */
function reportCpu(rounds) {
  const row = (who) =>
    Object.fromEntries(
      Object.keys(rounds[0][who].cpu).map((part) => [
        part,
        whole((median(rounds.map((round) => round[who].cpu[part])) * 1000) / deliveries),
      ]),
    );
  console.log('processor time of a delivery in µs, adding its job included:');
  console.table({ ours: row('ours'), BullMQ: row('queue'), undici: row('loop') });
}

async function reportWaits(scene) {
  const waitsMs = await measureWaits(scene, { perSecond: PER_SECOND, seconds: Number(options.seconds) });
  const figure = (share) => quantile(waitsMs, share).toFixed(1);
  console.log(
    `\n${PER_SECOND} events a second for ${options.seconds} s, ${whole(waitsMs.length)} deliveries: commit to first byte p50 ${figure(0.5)} ms, p99 ${figure(0.99)} ms, longest ${figure(1)} ms`,
  );
}

async function run() {
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  const scene = await startEnvironment({
    users: USERS,
    webhooksPerUser: WEBHOOKS_PER_USER,
    concurrency: Number(options.concurrency),
    profileFile: options.profile,
  });
  if (Number(options.rounds) > 0) {
    const rounds = await measure(scene);
    report(rounds);
    if (rounds[0].ours.cpu !== undefined) reportCpu(rounds);
  }
  if (Number(options.seconds) > 0) await reportWaits(scene);
}

await runAndClose(run, close);
