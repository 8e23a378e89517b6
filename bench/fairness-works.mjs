/** The requests of a user of `fairness-presser.mjs`, and their outcomes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../tooling/launch/first-trade/client.mjs';
import { Realtime } from '../tooling/launch/sdk.mjs';

/** A refused caller tries again after this time, in ms, even if Retry-After names a longer one. */
const RETRY_MS = 1_000;
/**
 * How many requests of each kind the presser sends at a time. The API admits 30 requests a second, and each may wait up to
 * 2.5 s for the user's other requests. With more than 75, the limit is reached even if the machine is slow.
 */
export const AT_A_TIME = {
  list: 80,
  create: 24,
  cancel: 24,
  'test of an exchange': 8,
  'test of a webhook': 8,
  simulation: 3,
};
/** Connections that the presser tries to keep open. */
export const OPENED = { 'event stream': 20, socket: 8 };
/**
 * The most requests of a kind that the second quiet user sends in a half: six are allowed at once, and a test of a webhook
 * occupies one of the user's slots for 30 s. The presser's half also contains those that it sent before.
 */
const PACED_MAX = { 'test of an exchange': 6, 'test of a webhook': 3, simulation: 6 };
/** How many cheap requests of each API key use up its tokens before the measurement. */
const DRAINING = 16;
/** A request without a response for this time, in ms, was not refused, because a refusal does not wait. */
const ADMITTED_MS = 1_000;

/** Returns how many requests the second quiet user sends, if the presser was served `served`. */
export const pacedCount = (kind, served) => Math.min(served, PACED_MAX[kind] ?? served);

/**
 * Returns a function for each kind of work, which never throws, and the counts of their outcomes in the window that
 * `beginWindow` begins. Requests that run when a window begins or ends count in it.
 */
export function openWorks(settings, signal) {
  const outcomes = new Outcomes(signal);
  return {
    ...requestsOf(settings, signal, outcomes),
    ...connectionsOf(settings, signal, outcomes),
    counts: () => outcomes.counts(),
    reached: () => outcomes.reached,
    beginWindow: () => outcomes.beginWindow(),
  };
}

function requestsOf(settings, signal, outcomes) {
  const { restUrl, user, resting, silentVenue, slowWebhooks, copierId } = settings;
  const apis = user.keys.map((apiKey) => createClient({ restUrl, apiKey, maxRetries: 0 }));
  const signer = createClient({ restUrl, privateKey: Buffer.from(user.privateKey), maxRetries: 0 });
  let turn = 0;
  const api = () => apis[turn++ % apis.length];
  const attempt = (kind, request) => outcomes.attempt(kind, request);
  const openTrades = [];
  return {
    /** Uses up the tokens of each API key. */
    drain: async () => {
      const read = async (client) => {
        const isServed = () =>
          client.me.get().then(
            () => true,
            () => false,
          );
        while (!signal.aborted && (await isServed()));
      };
      await Promise.all(apis.flatMap((client) => Array.from({ length: DRAINING }, () => read(client))));
    },
    list: () => attempt('list', () => api().trades.list({ limit: 100, include: ['total'] })),
    create: async () => {
      const trade = await attempt('create', () => api().trades.create(resting));
      if (trade !== undefined) openTrades.push(trade.id);
    },
    cancel: async () => {
      const id = openTrades.shift();
      if (id === undefined) return void (await sleep(RETRY_MS));
      if ((await attempt('cancel', () => api().trades.cancel(id))) === undefined) openTrades.push(id);
    },
    'test of an exchange': () => attempt('test of an exchange', () => api().exchanges.test(silentVenue)),
    'test of a webhook': () =>
      attempt('test of a webhook', () => signer.webhooks.test(slowWebhooks[turn++ % slowWebhooks.length])),
    simulation: () => attempt('simulation', () => api().copiers.simulate(copierId)),
    /** How many created trades wait for their cancellation. */
    uncancelled: () => openTrades.length,
  };
}

/** Each function resolves when its connection is open or refused. The connection stays open until the signal. */
function connectionsOf({ restUrl, graphqlUrl, user, resting }, signal, outcomes) {
  const privateKey = Buffer.from(user.privateKey);
  const signer = createClient({ restUrl, graphqlUrl, privateKey, maxRetries: 0 });
  let turn = 0;
  const hold = (kind, stream) => {
    outcomes.opened(kind);
    const ended = () => outcomes.closed(kind);
    (async () => {
      for await (const _ of stream);
    })().then(ended, ended);
    return true;
  };
  return {
    'event stream': () =>
      outcomes.attempt('event stream', async () => {
        const headers = { 'x-api-key': user.keys[turn++ % user.keys.length] };
        const response = await fetch(`${restUrl}/v1/events/stream`, { headers, signal });
        const { ok, status } = response;
        if (!ok) throw Object.assign(new Error(`status ${status}`), { status, headers: response.headers });
        return hold('event stream', response.body);
      }),
    socket: () =>
      outcomes.attempt('socket', async () => {
        const realtime = new Realtime(signer, { maxRetries: 0, reconnectDelay: () => 60_000 });
        const close = () => void realtime.close();
        signal.addEventListener('abort', close, { once: true });
        const books = realtime.orderbook(resting.trade_pair_id)[Symbol.asyncIterator]();
        try {
          // The first book arrives when the server has accepted the socket.
          await books.next();
        } catch (error) {
          signal.removeEventListener('abort', close);
          close();
          throw error;
        }
        return hold('socket', { [Symbol.asyncIterator]: () => books });
      }),
  };
}

class Outcomes {
  /** The names of limits that refused a request, since the start. */
  reached = new Set();
  #window = {};
  #pending = new Set();
  #open = new Map();

  constructor(signal) {
    this.signal = signal;
    // One listener for all requests: adding one takes time for each that the signal has.
    this.aborted = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    );
  }

  beginWindow() {
    this.#window = {};
    for (const kind of [...Object.keys(AT_A_TIME), ...Object.keys(OPENED)]) this.#count(this.#window, kind);
    for (const sent of this.#pending) if (isAdmitted(sent)) sent.window = this.#window;
  }

  opened(kind) {
    this.#open.set(kind, (this.#open.get(kind) ?? 0) + 1);
  }

  closed(kind) {
    this.#open.set(kind, this.#open.get(kind) - 1);
  }

  /** @returns the outcomes by kind; of connections, those that are open are served */
  counts() {
    const counts = structuredClone(this.#window);
    for (const sent of this.#pending)
      if (sent.window === this.#window && isAdmitted(sent)) counts[sent.kind].served += 1;
    for (const kind of Object.keys(OPENED)) counts[kind].served = this.#open.get(kind) ?? 0;
    return counts;
  }

  /** Sends a request and counts its outcome. @returns the result, or undefined if it was refused or the half ended */
  async attempt(kind, request) {
    const sent = { kind, window: this.#window, sentAt: performance.now() };
    const count = () => this.#count(sent.window, kind);
    this.#pending.add(sent);
    try {
      const result = await Promise.race([request(), this.aborted]);
      if (this.signal.aborted) return undefined;
      count().served += 1;
      return result ?? true;
    } catch (error) {
      if (this.signal.aborted) return undefined;
      this.#countError(sent, count(), error);
      await sleep(RETRY_MS);
      return undefined;
    } finally {
      this.#pending.delete(sent);
    }
  }

  #countError(sent, count, error) {
    const { kind } = sent;
    if (error.status === 429 || /rate_limited/.test(`${error.code} ${error.message}`)) {
      count.refused += 1;
      for (const name of limitsOf(error, kind)) this.reached.add(name);
    } else if (
      kind.startsWith('test') &&
      (error.status === 502 || (error.status === 503 && isAdmitted(sent)))
    ) {
      // The venue or the receiver did not respond, now or shortly before.
      count.served += 1;
    } else {
      count.failed += 1;
      // 503: the user's requests wait too long for each other. No status: no response in time.
      if (error.status !== 503) console.error(kind, error.status ?? '', error.code ?? error.message);
    }
  }

  #count(window, kind) {
    window[kind] ??= { served: 0, refused: 0, failed: 0 };
    return window[kind];
  }
}

const isAdmitted = ({ sentAt }) => performance.now() - sentAt > ADMITTED_MS;

/** Returns the limits without remaining requests, or the kind if its limit is a number of concurrent ones. */
function limitsOf(error, kind) {
  const state = error.headers?.get('ratelimit') ?? '';
  const empty = [...state.matchAll(/"(\w+)";r=0\b/g)].map(([, name]) => name);
  return empty.length > 0 ? empty : [kind];
}
