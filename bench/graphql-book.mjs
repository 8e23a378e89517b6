/** Measures one order book with many subscribers, for `graphql.mjs`. */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { MarketDataPublisher, marketDataPrefix } from '@trading-automation/core/market-data';
import { publicKeyOf, signRequest } from '@trading-automation/signed-request';
import { Redis } from 'ioredis';
import WebSocket from 'ws';
import { ampleRateLimits, serviceNodeOptions } from '../tooling/launch/service-list.mjs';
import { apiEnvironment, serve, serveApi, startServers } from './rest-environment.mjs';
import { quantile } from './rest-load.mjs';

const SUBSCRIBERS = 2_000;
/** The limit of sockets per credential. */
const SOCKETS_PER_USER = 5;
const UPDATES_PER_SECOND = 10;
const SECONDS = 10;
const ROUNDS = 3;
/** Price levels on each side of the book. */
const LEVELS = 500;
/** Levels of each side that one update changes. */
const CHANGES = 10;
const RATIO_MIN = 0.5;
const QUERY =
  'subscription ($pair: ID!) { orderbookUpdate(tradePairId: $pair) { kind sequence previousSequence bids asks receivedAt } }';
const pair = { exchange: 'paper', symbol: 'BTC/USDT' };
const median = (values) => quantile(values, 0.5);

export async function compareBooks() {
  const { database, servers } = await startServers();
  const env = await apiEnvironment(servers, { RATE_LIMITS: ampleRateLimits });
  const pairId = await writePair(database);
  const users = await writeUsers(database);
  const bookMaker = await openBook(servers.redisUrl);
  const contestants = [
    {
      name: 'bare ws',
      url: await serve(join(import.meta.dirname, 'graphql-broadcast.mjs'), { REDIS_URL: servers.redisUrl }),
      open: openBare,
    },
    {
      name: 'product',
      url: await serveApi('graphql-api', { ...env, NODE_OPTIONS: serviceNodeOptions }),
      open: (url, index) => openProduct(url, users[index % users.length], pairId),
    },
  ];
  const rounds = new Map(contestants.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const contestant of contestants)
        rounds.get(contestant.name).push(await runBook(contestant, bookMaker));
  } finally {
    bookMaker.close();
  }
  report(rounds);
}

async function writePair(database) {
  const id = randomUUID();
  await database.query(
    `INSERT INTO trade_pairs (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step, min_amount,
       min_notional, is_active, rules_updated_at)
     VALUES ($1, 'paper', 'BTC/USDT', 'BTC', 'USDT', 'spot', 0.01, 0.00001, 0.00001, 5, true, now())`,
    [id],
  );
  return encodeId('tpr', id);
}

async function writeUsers(database) {
  const users = Array.from({ length: SUBSCRIBERS / SOCKETS_PER_USER }, (_, i) => {
    const privateKey = new Uint8Array(createHash('sha256').update(`bench subscriber ${i}`).digest());
    return { privateKey, pubkey: publicKeyOf(privateKey), id: randomUUID(), keyId: randomUUID() };
  });
  await database.query('INSERT INTO users (id, created_at) SELECT id, now() FROM unnest($1::uuid[]) AS id', [
    users.map(({ id }) => id),
  ]);
  await database.query(
    `INSERT INTO public_keys (id, user_id, pubkey, created_at)
     SELECT *, now() FROM unnest($1::uuid[], $2::uuid[], $3::text[])`,
    [users.map(({ keyId }) => keyId), users.map(({ id }) => id), users.map(({ pubkey }) => pubkey)],
  );
  return users;
}

/** Creates an order book. `update` changes it, and publishes the change for the product or for the baseline. */
async function openBook(redisUrl) {
  const onError = (error) => console.error(error);
  const publisher = new MarketDataPublisher({
    redisUrl,
    prefix: marketDataPrefix('test'),
    holder: 'bench',
    onError,
  });
  const redis = new Redis(redisUrl);
  const initialLevels = (sign) =>
    new Map(Array.from({ length: LEVELS }, (_, i) => [(60_000 + sign * (i + 1) * 0.5).toFixed(2), '1.5']));
  const book = { bids: initialLevels(-1), asks: initialLevels(1) };
  const stamp = () => ({ exchangeTimestamp: new Date().toISOString(), receivedAt: new Date().toISOString() });
  const fullBook = () => ({ bids: [...book.bids], asks: [...book.asks], ...stamp() });
  await publisher.acquireLease(pair.exchange);
  await publisher.onSnapshotRequest(pair.exchange, () =>
    publisher.publish(pair, 'REPEAT', fullBook()).catch(onError),
  );
  await publisher.publish(pair, 'SNAPSHOT', fullBook());
  // Renews the lease and the book, as the worker does.
  const renewal = setInterval(() => {
    publisher
      .acquireLease(pair.exchange)
      .then(() => publisher.publish(pair, 'KEEP', fullBook()))
      .catch(onError);
  }, 3_000);
  let count = 0;
  return {
    /** @param message builds the message for the baseline; if it is undefined, the change is published for the product */
    async update(message) {
      count++;
      const change = (levels) =>
        [...levels.keys()].slice(0, CHANGES).map((price, i) => {
          const amount = (1 + ((count * 7919 + i * 104729) % 1000) / 1000).toFixed(3);
          levels.set(price, amount);
          return [price, amount];
        });
      const delta = { bids: change(book.bids), asks: change(book.asks), ...stamp() };
      if (message !== undefined) await redis.publish('broadcast', message(delta));
      else {
        await publisher.publish(pair, 'DELTA', delta);
      }
    },
    close() {
      clearInterval(renewal);
      publisher.close();
      redis.disconnect();
    },
  };
}

/** Builds the same bytes that the product sends for the update. */
const bareMessage = ({ bids, asks, receivedAt }) =>
  JSON.stringify({
    id: '1',
    type: 'next',
    payload: {
      data: {
        orderbookUpdate: {
          kind: 'DELTA',
          sequence: 1_795_000_000_000_000,
          previousSequence: 1_794_999_999_999_999,
          bids,
          asks,
          receivedAt,
        },
      },
    },
  });

function openBare(url) {
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

function openProduct(url, { privateKey }, pairId) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', (code, reason) => reject(new Error(`closed with ${code} ${reason}`)));
    socket.once('open', () => {
      const payload = signRequest({ method: 'CONNECT', path: '/graphql', privateKey });
      socket.send(JSON.stringify({ type: 'connection_init', payload }));
    });
    socket.once('message', () => {
      const payload = { query: QUERY, variables: { pair: pairId } };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
      // The snapshot confirms the subscription.
      socket.once('message', (text) => {
        if (!String(text).includes('SNAPSHOT')) reject(new Error(String(text)));
        else resolve(socket);
      });
    });
  });
}

const RECEIVED_AT = /"receivedAt":"([^"]+)"/;

async function runBook({ name, url, open }, book) {
  const sockets = [];
  for (let at = 0; at < SUBSCRIBERS; at += 50) {
    const batch = Array.from({ length: 50 }, (_, i) => open(url, at + i));
    sockets.push(...(await Promise.all(batch)));
  }
  let [delivered, bytes] = [0, 0];
  const lagsMs = [];
  for (const [index, socket] of sockets.entries())
    socket.on('message', (data) => {
      delivered++;
      bytes += data.length;
      // Parses the messages of one socket in ten; parsing all of them would distort the measurement.
      if (index % 10 === 0)
        lagsMs.push(Date.now() - Date.parse(RECEIVED_AT.exec(data.toString('latin1'))[1]));
    });
  const startedAtMs = performance.now();
  for (let update = 0; update < UPDATES_PER_SECOND * SECONDS; update++) {
    await book.update(name === 'product' ? undefined : bareMessage);
    await sleep(Math.max(0, startedAtMs + ((update + 1) * 1_000) / UPDATES_PER_SECOND - performance.now()));
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const result = {
    perSecond: delivered / seconds,
    bytes: bytes / delivered,
    p50: quantile(lagsMs, 0.5),
    p99: quantile(lagsMs, 0.99),
  };
  for (const socket of sockets) socket.terminate();
  await sleep(1_000);
  return result;
}

function report(rounds) {
  console.log(`\n${SUBSCRIBERS} subscribers of one order book, ${UPDATES_PER_SECOND} updates a second`);
  console.log('            delivered/s   bytes   p50 ms   p99 ms');
  for (const [name, results] of rounds) {
    const figure = (pick) => median(results.map(pick)).toFixed(0);
    console.log(
      `${name.padEnd(10)}  ${figure(({ perSecond }) => perSecond).padStart(11)}   ${figure(({ bytes }) => bytes).padStart(5)}   ${figure(({ p50 }) => p50).padStart(6)}   ${figure(({ p99 }) => p99).padStart(6)}`,
    );
  }
  const [bare, product] = [...rounds.values()].map((results) => results.map(({ perSecond }) => perSecond));
  const ratio = median(product.map((rate, round) => rate / bare[round]));
  console.log(
    `of bare ws: ${ratio.toFixed(3)} (target ${RATIO_MIN}: ${ratio >= RATIO_MIN ? 'met' : 'missed'})`,
  );
}
