/**
 * Measures what accounts cost at an exchange with its published limits: 6,000 weight a minute and address, 100 orders in
 * 10 s and account.
 *
 *   pnpm turbo run build && node bench/accounts.mjs [--accounts 100,500,2000] [--copiers 1000] [--release <folder>]
 *
 * 1. The product runs as with `npm start`, with one worker, which calls the paper exchange from one address. No limit is
 *    raised. The weight is the counter of the paper exchange, from the header of its responses, over whole minutes of
 *    its clock. The requests that read it are subtracted.
 * 2. Up to 100 accounts are measured when each has been reconciled once, with a rotation of 2 min instead of 4 h. The cost of
 *    a day is computed from the measured weight of a reconciliation and the schedule. Of the other steps, the minute
 *    after all streams are connected is measured: new accounts wait for their first reconciliation then, so the
 *    rotation uses all of its share. That is the most that this number of idle accounts ever uses.
 * 3. Meanwhile a user tests credentials six times a minute, the most that the API allows, and places and cancels orders. Then a leader's market order is copied by copiers
 *    on other accounts, beside the idle ones.
 * 4. `--release` runs the worker and the paper exchange of another built release, as a control.
 * 5. `--tariff <venue>|all` does something else: it prints how many idle accounts one address carries at other venues.
 *    It records the calls of an account with the scripted exchange of the conformance tests, and computes the rest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { addAccounts, close, startProduct } from './accounts-environment.mjs';
import { runTariff } from './accounts-tariff.mjs';
import { addCopiers, createLeader, startUser, waitForCopies } from './accounts-users.mjs';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';

const LIMIT = 6_000;
const TARGETS = { idleShare: 0.3, perAccountAndMinute: 0.8, userP99Ms: 2_000 };
const MINUTE_MS = 60_000;
const ROTATION_MS = 14_400_000;
const SHORT_ROTATION_MS = 120_000;
/** The supervisor waits between three quarters of the interval and the whole interval. */
const ROTATIONS_A_DAY = 86_400_000 / (ROTATION_MS * 0.875);
const CONNECT_WEIGHT = 2;
/** Up to this number of accounts, the shortened rotation is within its share of the limit. */
const STEADY_MAX = 100;
const BACKGROUND = ['check', 'rotation'];

const { values: options } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100,500,2000' },
    copiers: { type: 'string', default: '1000' },
    release: { type: 'string' },
    tariff: { type: 'string' },
  },
});

/** Reads the weight that this address has used in the current minute of the exchange. Costs 1. */
async function usedWeight({ paperExchangeUrl }) {
  const response = await fetch(`${paperExchangeUrl}/api/v3/ping`);
  await response.arrayBuffer();
  return Number(response.headers.get('x-mbx-used-weight-1m'));
}

/** Returns the weight that the product uses in the next whole minute. */
async function weightOfNextMinute(product) {
  await sleep(MINUTE_MS - (Date.now() % MINUTE_MS) + 50);
  await sleep(MINUTE_MS - (Date.now() % MINUTE_MS) - 300);
  return (await usedWeight(product)) - 1;
}

/** Waits until `count` accounts are in one of these states, or 10 min. Returns their number. */
async function untilAccounts({ database }, count, states) {
  for (let tries = 0; tries < 600; tries++) {
    const { rows } = await database.query(
      `SELECT count(*)::int AS count FROM account_watches WHERE state = ANY ($1) AND told_at > now() - interval '65 s'`,
      [states],
    );
    if (rows[0].count >= count) return rows[0].count;
    await sleep(1_000);
  }
  throw new Error(`fewer than ${count} accounts are in the states ${states.join(', ')}`);
}

async function reconciledSince({ database }, instant) {
  const { rows } = await database.query(
    'SELECT count(*)::int AS count FROM reconciliations WHERE reconciled_at > $1',
    [instant],
  );
  return rows[0].count;
}

function result(what, value, relation, target, isMet) {
  console.log(`${what}: ${value} (target ${relation} ${target}: ${isMet ? 'met' : 'MISSED'})`);
}

async function measureFirst(product, count, background) {
  const states = options.release === undefined ? ['LIVE'] : ['LIVE', 'REPAIRING', 'LOST'];
  await untilAccounts(product, count, states);
  const from = new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS);
  const weight = await weightOfNextMinute(product);
  const runs = await reconciledSince(product, from);
  console.log(
    `${count} idle accounts, rotation shortened to 2 min: ${weight} a minute, ${runs} reconciliations`,
  );
  if (runs === 0) return;
  const perRun = (weight - background) / runs;
  const perMinute = (perRun * (ROTATIONS_A_DAY + 1) + CONNECT_WEIGHT) / 1_440;
  const { perAccountAndMinute } = TARGETS;
  console.log(`weight of a reconciliation: ${perRun.toFixed(1)}`);
  result(
    'an idle account, weight a minute over a day with a rotation of 4 h',
    perMinute.toFixed(3),
    '≤',
    perAccountAndMinute,
    perMinute <= perAccountAndMinute,
  );
}

async function measureStep(product, count) {
  await untilAccounts(product, count, ['LIVE', 'UNVERIFIED']);
  const weight = await weightOfNextMinute(product);
  result(
    `${count} idle accounts, weight a minute while they wait for their first reconciliation`,
    `${weight} (${((weight / LIMIT) * 100).toFixed(0)} %)`,
    '≤',
    LIMIT * TARGETS.idleShare,
    weight <= LIMIT * TARGETS.idleShare,
  );
}

function reportUser(label, { calls, refused }) {
  const durations = calls.map(({ ms }) => ms);
  const p99 = quantile(durations, 0.99);
  result(
    `${label}: ${calls.length} calls of a user, p99 ms`,
    Math.round(p99),
    '≤',
    TARGETS.userP99Ms,
    p99 <= TARGETS.userP99Ms,
  );
  for (const name of new Set(calls.map((call) => call.name))) {
    const ofName = calls.filter((call) => call.name === name).map(({ ms }) => ms);
    console.log(
      `  ${name}: ${ofName.length} calls, median ${Math.round(quantile(ofName, 0.5))} ms, slowest ${Math.round(Math.max(...ofName))} ms`,
    );
  }
  result(`${label}: refused calls`, refused.join(', ') || 0, '=', 0, refused.length === 0);
}

/** Calls of background work that find no room in time are repeated, so they have no target. */
function reportRefused(before, after) {
  if (before === null || after === null) {
    console.log('refused calls of the worker: not reported by this release');
    return;
  }
  const added = Object.entries(after).flatMap(([purpose, count]) => {
    const refused = count - (before[purpose] ?? 0);
    return refused === 0 ? [] : [{ purpose, refused }];
  });
  const [background, others] = [true, false].map((isBackground) =>
    added.filter(({ purpose }) => BACKGROUND.includes(purpose) === isBackground),
  );
  const inWords = (each) => each.map(({ purpose, refused }) => `${purpose} ${refused}`).join(', ') || 0;
  console.log(`calls of background work refused meanwhile: ${inWords(background)}`);
  result('other calls of the worker refused meanwhile', inWords(others), '=', 0, others.length === 0);
}

async function run() {
  const product = await startProduct({ release: options.release, reconcileEveryMs: SHORT_ROTATION_MS });
  const leader = await createLeader(product);
  const user = await startUser(product);
  try {
    await measureAll(product, leader, user);
  } finally {
    await user.stop();
  }
}

async function measureAll(product, leader, user) {
  const steps = options.accounts.split(',').map(Number);
  const background = await weightOfNextMinute(product);
  console.log(`public data, a leader and a user who calls: ${background} a minute`);
  let added = 0;
  for (const count of steps) {
    await addAccounts(product, count - added);
    added = count;
    user.reset();
    if (count <= STEADY_MAX) await measureFirst(product, count, background);
    else await measureStep(product, count);
    reportUser(`beside ${count} idle accounts`, user.results());
    console.log(
      `refused calls of the worker so far, by purpose: ${JSON.stringify(await product.refusedCalls())}`,
    );
  }
  const copiers = Number(options.copiers);
  if (copiers > 0) {
    await addCopiers(product, leader, copiers);
    await untilAccounts(product, added + copiers, ['LIVE', 'UNVERIFIED']);
    user.reset();
    const before = await product.refusedCalls();
    const weights = weightOfNextMinute(product);
    await sleep(MINUTE_MS - (Date.now() % MINUTE_MS) + 1_000);
    const { outcomes, seconds } = await waitForCopies(product, leader);
    const weight = await weights;
    console.log(`1 signal to ${copiers} copiers: ${JSON.stringify(outcomes)} in ${seconds.toFixed(1)} s`);
    result('weight of that minute', weight, '≤', LIMIT, weight <= LIMIT);
    reportRefused(before, await product.refusedCalls());
    reportUser(`beside the signal and ${added} idle accounts`, user.results());
  }
}

if (options.tariff === undefined) await runAndClose(run, close);
else runTariff(options.tariff);
