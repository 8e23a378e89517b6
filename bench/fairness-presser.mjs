/**
 * A user of `fairness.mjs` in a process of its own. It either presses, that is, does everything at once until it is stopped, or
 * sends a given number of the same requests at fixed times. It reports how many were served and refused, and by which limits.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AT_A_TIME, OPENED, openWorks, pacedCount } from './fairness-works.mjs';

/** The measurement begins when each limit was reached; if that takes longer than this time, the benchmark fails. */
const WARM_UP_MAX_MS = 60_000;
/** More creations than the limit of a user for a second. Later, the general limit refuses first. */
const BURST = 120;
const CANCEL_AFTER_MS = 200;
/** How often the presser tries to open one more stream and one more socket. */
const REOPEN_MS = 1_000;
/** The limits that the presser must reach. An array has the limit of a credential and that of its user. */
const LIMITS = [
  ['general', 'general_user'],
  ['trade_writes', 'trade_writes_user'],
  ['exchange_tests'],
  ['webhook_tests'],
  ['simulations'],
  ['event stream'],
  ['socket'],
];

let controller = new AbortController();
let works;
let endOfWindow;
let simulating = Promise.resolve();

process.on('message', async (message) => {
  if (message.stop) {
    controller.abort();
    process.send({ counts: endOfWindow ?? works.counts(), reached: [...works.reached()] });
    return;
  }
  endOfWindow = undefined;
  controller = new AbortController();
  setMaxListeners(0, controller.signal);
  works = openWorks(message.settings, controller.signal);
  if (message.pace === undefined) await press(message.seconds);
  else pace(message.pace, message.seconds);
});

async function press(seconds) {
  const { signal } = controller;
  const repeat = async (kind) => {
    while (!signal.aborted) await works[kind]();
  };
  const reopen = async (kind) => {
    for (; !signal.aborted; await sleep(REOPEN_MS)) await works[kind]();
  };
  const times = (count, work) => Array.from({ length: count }, work);
  await Promise.all(Object.entries(OPENED).flatMap(([kind, count]) => times(count, () => works[kind]())));
  await Promise.all(times(BURST, () => works.create()));
  await works.drain();
  for (const [kind, count] of Object.entries(AT_A_TIME)) times(count, () => repeat(kind));
  for (const kind of Object.keys(OPENED)) void reopen(kind);
  const endsAt = performance.now() + WARM_UP_MAX_MS;
  const missing = () => LIMITS.filter((names) => !names.some((name) => works.reached().has(name)));
  const isWarm = () => missing().length === 0 && works.uncancelled() <= AT_A_TIME.cancel;
  while (!isWarm() && performance.now() < endsAt) await sleep(100);
  works.beginWindow();
  setTimeout(() => {
    if (!signal.aborted) endOfWindow = works.counts();
  }, seconds * 1_000);
  process.send({ missing: missing().map((names) => names.join(' or ')) });
}

/** Connections are opened at once. The other requests are distributed evenly over `seconds`. */
function pace(wanted, seconds) {
  const startsAt = performance.now() + 100;
  works.beginWindow();
  for (const [kind, { served }] of Object.entries(wanted)) {
    // Each creation is followed by its cancellation.
    if (kind === 'cancel') continue;
    const count = pacedCount(kind, served);
    const everyMs = kind in OPENED ? 0 : (seconds * 1_000) / count;
    for (let i = 0; i < count; i++) void sendAt(kind, startsAt + i * everyMs);
  }
  process.send({ missing: [] });
}

async function sendAt(kind, at) {
  await sleep(Math.max(0, at - performance.now()));
  if (controller.signal.aborted) return;
  if (kind === 'simulation') await simulateNext();
  else await works[kind]();
  if (kind !== 'create') return;
  await sleep(CANCEL_AFTER_MS);
  await works.cancel();
}

/** Simulations of one user run one after another; a second one would be refused. */
function simulateNext() {
  simulating = simulating.then(() => (controller.signal.aborted ? undefined : works.simulation()));
  return simulating;
}
