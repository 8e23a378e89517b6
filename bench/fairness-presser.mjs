/**
 * A user of `fairness.mjs` in a process of its own. It either presses, that is, does everything at once until it is stopped, or
 * sends a given number of the same requests, evenly distributed. It reports how many were served and refused.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../tooling/launch/first-trade/client.mjs';
import { Realtime } from '../tooling/launch/sdk.mjs';

/** A refused caller tries again after this time, in ms, and ignores Retry-After. */
const RETRY_MS = 50;
/** The measurement begins when each limit was reached, or after this time. */
const WARM_UP_MAX_MS = 60_000;
/** How many requests of each kind the presser sends at a time. */
const AT_A_TIME = {
  list: 16,
  create: 8,
  'test of an exchange': 24,
  'test of a webhook': 24,
  simulation: 4,
};
/** Connections that stay open. */
const OPENED = { 'event stream': 20, socket: 8 };
/** How many cheap requests of each API key use up its tokens before the measurement. */
const DRAINING = 16;

/** @type {Record<string, { served: number, refused: number, failed: number }>} */
let counts = {};
let controller = new AbortController();
let running = [];

process.on('message', async (message) => {
  if (message.stop) {
    controller.abort();
    await Promise.race([Promise.allSettled(running), sleep(2_000)]);
    const { socket } = counts;
    if (socket !== undefined) socket.served = socket.opened - socket.refused - socket.failed;
    process.send({ counts });
    return;
  }
  counts = {};
  controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const { signal } = controller;
  if (message.press !== undefined) {
    const works = worksOf(message.press, signal);
    await works.drain();
    running = press(works, signal);
    await untilLimited();
    for (const kind of [...Object.keys(AT_A_TIME), 'cancel']) counts[kind] = noCounts();
  } else {
    running = pace(worksOf(message.pace, signal), signal, message);
  }
  process.send({ started: true });
});

async function untilLimited() {
  const endsAt = performance.now() + WARM_UP_MAX_MS;
  const isLimited = () => Object.values(counts).every(({ refused }) => refused > 0);
  while (!isLimited() && performance.now() < endsAt) await sleep(100);
}

function press(works, signal) {
  const repeat = async (kind) => {
    while (!signal.aborted) await works[kind]();
  };
  const times = (count, work) => Array.from({ length: count }, work);
  return [
    ...Object.entries(AT_A_TIME).flatMap(([kind, count]) => times(count, () => repeat(kind))),
    ...Object.entries(OPENED).flatMap(([kind, count]) => times(count, () => works[kind]())),
  ];
}

/** Connections are opened at once; the other requests are distributed evenly over `seconds`. */
function pace(works, signal, { counts: wanted, seconds }) {
  const send = async (kind, delayMs) => {
    await sleep(delayMs);
    if (!signal.aborted) await works[kind]();
  };
  return Object.keys({ ...AT_A_TIME, ...OPENED }).flatMap((kind) => {
    // A simulation of the presser runs all the time, and may end after the half.
    const served = Math.max(wanted[kind]?.served ?? 0, kind === 'simulation' ? 1 : 0);
    const everyMs = kind in OPENED ? 0 : (seconds * 1_000) / (served + 1);
    return Array.from({ length: served }, (_, i) => send(kind, everyMs * (i + 1)));
  });
}

/** Returns a function for each kind of work, which never throws. */
function worksOf(settings, signal) {
  const { restUrl, graphqlUrl, user, resting, silentVenue, slowWebhooks, copierId } = settings;
  const apis = user.keys.map((apiKey) => createClient({ restUrl, apiKey, maxRetries: 0 }));
  const signer = createClient({
    restUrl,
    graphqlUrl,
    privateKey: Buffer.from(user.privateKey),
    maxRetries: 0,
  });
  let turn = 0;
  const api = () => apis[turn++ % apis.length];
  const attempt = (kind, request) => attemptUnless(signal, kind, request);
  return {
    /** Uses up the tokens of each API key. */
    drain: async () => {
      const read = async (client) => {
        for (;;) {
          const isServed = await client.me.get().then(
            () => true,
            () => false,
          );
          if (!isServed || signal.aborted) return;
        }
      };
      await Promise.all(apis.flatMap((client) => Array.from({ length: DRAINING }, () => read(client))));
    },
    list: () => attempt('list', () => api().trades.list({ limit: 100, include: ['total'] })),
    create: async () => {
      const trade = await attempt('create', () => api().trades.create(resting));
      if (trade === undefined) return;
      await sleep(200);
      let isCancelled = false;
      while (!isCancelled && !signal.aborted)
        isCancelled = (await attempt('cancel', () => api().trades.cancel(trade.id))) !== undefined;
    },
    'test of an exchange': () => attempt('test of an exchange', () => api().exchanges.test(silentVenue)),
    'test of a webhook': () =>
      attempt('test of a webhook', () => signer.webhooks.test(slowWebhooks[turn++ % slowWebhooks.length])),
    simulation: () => attempt('simulation', () => api().copiers.simulate(copierId)),
    'event stream': () =>
      attempt('event stream', async () => {
        const headers = { 'x-api-key': user.keys[turn++ % user.keys.length] };
        const response = await fetch(`${restUrl}/v1/events/stream`, { headers, signal });
        if (!response.ok) throw Object.assign(new Error('refused'), { status: response.status });
        counts['event stream'].served += 1;
        for await (const _ of response.body);
      }),
    socket: () =>
      attempt('socket', async () => {
        const realtime = new Realtime(signer, { reconnectDelay: () => 60_000 });
        signal.addEventListener('abort', () => void realtime.close());
        counts.socket.opened = (counts.socket.opened ?? 0) + 1;
        for await (const _ of realtime.tradeSignals(user.strategyId)) if (signal.aborted) return;
      }),
  };
}

/** Sends a request and counts its outcome. @returns the result, or undefined if it was refused or the half ended */
async function attemptUnless(signal, kind, request) {
  counts[kind] ??= noCounts();
  try {
    const result = await Promise.race([request(), aborted(signal)]);
    if (signal.aborted) return undefined;
    counts[kind].served += 1;
    return result ?? true;
  } catch (error) {
    if (signal.aborted) return undefined;
    const isRefused = error.status === 429 || error.code === 'rate_limited';
    const isLate = error.status === 502 || error.status === 503;
    counts[kind][isRefused ? 'refused' : isLate ? 'served' : 'failed'] += 1;
    if (!isRefused && !isLate) console.error(kind, error.code ?? error.message);
    await sleep(RETRY_MS);
    return undefined;
  }
}

const noCounts = () => ({ served: 0, refused: 0, failed: 0 });

const aborted = (signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
