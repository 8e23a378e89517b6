/**
 * Publishes changes of one order book for `dashboard.mjs`, as the trading worker does, in a process of its own. It begins when
 * the lease of the worker that publishes the exchange's data has expired.
 *
 * Environment: REDIS_URL, SYMBOL, UPDATES_PER_SECOND. After each second, it sends the number of updates so far to the parent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketDataPublisher, marketDataPrefix } from '@trading-automation/core/market-data';

const pair = { exchange: 'paper', symbol: process.env.SYMBOL };
const perSecond = Number(process.env.UPDATES_PER_SECOND);
const LEVELS = 100;
/** Levels of each side that one update changes, all of them on screen. */
const CHANGES = 5;
const SHOWN_LEVELS = 15;
const BATCH_MS = 10;
const KEEP_MS = 2_000;

const onError = (error) => console.error(error);
const publisher = new MarketDataPublisher({
  redisUrl: process.env.REDIS_URL,
  prefix: marketDataPrefix('test'),
  holder: 'bench',
  onError,
});
const levels = (sign) =>
  Array.from({ length: LEVELS }, (_, i) => [(60_000 + sign * (i + 1) * 0.5).toFixed(2), '1.5']);
const book = { bids: levels(-1), asks: levels(1) };
const stamp = () => ({ exchangeTimestamp: new Date().toISOString(), receivedAt: new Date().toISOString() });
let count = 0;

function change(side) {
  return Array.from({ length: CHANGES }, (_, i) => {
    const level = side[(count * CHANGES + i) % SHOWN_LEVELS];
    level[1] = (1 + ((count * 7919 + i * 104729) % 1000) / 1000).toFixed(3);
    return [...level];
  });
}

async function keep(action) {
  await publisher.acquireLease(pair.exchange);
  await publisher.publish(pair, action, { ...book, ...stamp() });
  const price = { ...pair, price: '60000.00', ...stamp() };
  await publisher.publishPrices(pair.exchange, [price]);
}

while (!(await publisher.acquireLease(pair.exchange))) await sleep(100);
await publisher.onSnapshotRequest(pair.exchange, (symbol) => {
  if (symbol === pair.symbol) publisher.publish(pair, 'REPEAT', { ...book, ...stamp() }).catch(onError);
});
await keep('SNAPSHOT');
setInterval(() => keep('KEEP').catch(onError), KEEP_MS);
setInterval(() => process.send(count), 1_000);
process.send(0);

const startedAt = performance.now();
setInterval(() => {
  const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
  for (; count < due; count++)
    publisher
      .publish(pair, 'DELTA', { bids: change(book.bids), asks: change(book.asks), ...stamp() })
      .catch(onError);
}, BATCH_MS);

// Ends with the parent process, even if that is killed.
process.once('disconnect', () => process.exit());
