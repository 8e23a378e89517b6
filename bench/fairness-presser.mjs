/**
 * The user of `fairness.mjs` who presses: a separate process that does everything at once until it is stopped, and then
 * reports how many requests of each kind were served and refused.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../tooling/launch/first-trade/client.mjs';
import { Realtime } from '../tooling/launch/sdk.mjs';

/** A refused caller tries again after this time, in ms, and ignores Retry-After. */
const RETRY_MS = 50;
/** The measurement begins when each limit was reached, or after this time. */
const WARM_UP_MAX_MS = 60_000;

/** @type {Record<string, { served: number, refused: number, failed: number }>} */
let counts = {};
let controller = new AbortController();
let running = [];

process.on('message', async (message) => {
  if (message.start !== undefined) {
    counts = {};
    controller = new AbortController();
    setMaxListeners(0, controller.signal);
    running = press(message.start, controller.signal);
    const warmUpEndsAt = performance.now() + WARM_UP_MAX_MS;
    const isAtLimits = () => Object.values(counts).every(({ refused }) => refused > 0);
    while (!isAtLimits() && performance.now() < warmUpEndsAt) await sleep(100);
    process.send({ started: true });
  } else {
    controller.abort();
    await Promise.race([Promise.allSettled(running), sleep(2_000)]);
    process.send({ counts });
  }
});

function press({ restUrl, graphqlUrl, user, resting, silentVenue, slowWebhooks, copierId }, signal) {
  const api = createClient({ restUrl, apiKey: user.key, maxRetries: 0 });
  const signer = createClient({
    restUrl,
    graphqlUrl,
    privateKey: Buffer.from(user.privateKey),
    maxRetries: 0,
  });
  let next = 0;
  const repeat = (kind, times, request) =>
    Array.from({ length: times }, async () => {
      while (!signal.aborted) await attempt(kind, request);
    });
  const open = (kind, times, hold) => Array.from({ length: times }, () => attempt(kind, hold));
  return [
    ...repeat('list', 16, () => api.trades.list({ limit: 100, include: ['total'] })),
    ...repeat('create and cancel', 8, async () => {
      const trade = await api.trades.create(resting);
      await sleep(200);
      await api.trades.cancel(trade.id);
    }),
    ...repeat('test of an exchange', 24, () => api.exchanges.test(silentVenue)),
    ...repeat('test of a webhook', 24, () =>
      signer.webhooks.test(slowWebhooks[next++ % slowWebhooks.length]),
    ),
    ...repeat('simulation', 4, () => api.copiers.simulate(copierId)),
    ...open('event stream', 8, async () => {
      const headers = { 'x-api-key': user.key };
      const response = await fetch(`${restUrl}/v1/events/stream`, { headers, signal });
      if (!response.ok) throw Object.assign(new Error('refused'), { status: response.status });
      counts['event stream'].served += 1;
      for await (const _ of response.body);
    }),
    ...open('socket', 8, async () => {
      const realtime = new Realtime(signer, { reconnectDelay: () => 60_000 });
      signal.addEventListener('abort', () => void realtime.close());
      for await (const _ of realtime.tradeSignals(user.strategyId)) if (signal.aborted) return;
    }),
  ];

  async function attempt(kind, request) {
    counts[kind] ??= { served: 0, refused: 0, failed: 0 };
    try {
      await Promise.race([request(), aborted(signal)]);
      if (!signal.aborted) counts[kind].served += 1;
    } catch (error) {
      const isRefused = error.status === 429 || error.code === 'rate_limited';
      const isLate = error.status === 502 || error.status === 503;
      if (!signal.aborted) counts[kind][isRefused ? 'refused' : isLate ? 'served' : 'failed'] += 1;
      if (!signal.aborted && !isRefused && !isLate) console.error(kind, error.code ?? error.message);
      await sleep(RETRY_MS);
    }
  }
}

const aborted = (signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
