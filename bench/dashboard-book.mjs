/** Changes an order book 1,000 times a second, and counts the frames of its page, for `dashboard.mjs`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../tooling/launch/first-trade/client.mjs';
import { pairNamed, pairsOf } from '../tooling/launch/first-trade/scenario.mjs';
import { atEnd, EMPTY_PAGE, inTab, signIn } from './dashboard-environment.mjs';
import { count } from './dashboard-frames.mjs';

const SYMBOL = 'BTC/USDT';
const UPDATES_PER_SECOND = 1_000;
const MEASURED_MS = 6_000;

/**
 * The updates go through Redis, the GraphQL API and the process of the dashboard, as those of the worker do. A second reader of the
 * same session keeps these processes as busy while the empty page is measured, so that the ratio is that of the pages.
 *
 * @returns {Promise<{ page: number, empty: number, paints: number, updates: number, books: number }[]>} all of them a second
 */
export async function measureBook(environment, rounds) {
  const { product } = environment;
  const session = await signIn(environment, product.apiKey);
  const { id: pairId } = pairNamed(SYMBOL, await pairsOf(createClient(product)));
  const market = { url: `/markets/${pairId}`, heading: SYMBOL };
  const feed = await startFeed(product);
  const reader = await openReader(product, session, pairId);
  try {
    return await countBookFrames(environment, session, market, { feed, reader, rounds });
  } finally {
    // What is measured next must not share the processors with them.
    reader.stop();
    feed.stop();
  }
}

async function countBookFrames(environment, session, market, { feed, reader, rounds }) {
  const results = [];
  for (let round = 0; round < rounds; round++) {
    const before = { updates: feed.count(), books: reader.count(), at: performance.now() };
    const book = await inTab(environment, session, market, async (page) => {
      await page.getByText('Live. Click a price').waitFor();
      return await count(page, 'table:has(caption)', () => sleep(MEASURED_MS));
    });
    const empty = await inTab(environment, session, EMPTY_PAGE, (page) =>
      count(page, undefined, () => sleep(MEASURED_MS)),
    );
    const seconds = (performance.now() - before.at) / 1_000;
    results.push({
      page: book.frames,
      empty: empty.frames,
      paints: book.paints,
      updates: (feed.count() - before.updates) / seconds,
      books: (reader.count() - before.books) / seconds,
    });
  }
  if (results.some(({ paints }) => paints < 1))
    throw new Error('the page did not paint the changes of the book');
  return results;
}

/** Stops the worker until its lease of the market data has expired, so that this feed takes it over. */
async function startFeed(product) {
  const child = fork(join(import.meta.dirname, 'dashboard-book-feed.mjs'), {
    env: {
      ...process.env,
      REDIS_URL: product.redisUrl,
      SYMBOL,
      UPDATES_PER_SECOND: String(UPDATES_PER_SECOND),
    },
  });
  const end = () => void child.kill();
  atEnd(end);
  let updates = 0;
  child.on('message', (value) => {
    updates = value;
  });
  const begun = once(child, 'message');
  await product.kill('trading-worker', 'SIGSTOP');
  await begun.finally(() => product.kill('trading-worker', 'SIGCONT'));
  return { count: () => updates, stop: end };
}

/** Reads the event stream of a tab. */
async function openReader({ dashboardUrl }, { cookies }, pairId) {
  const stop = new AbortController();
  const end = () => stop.abort();
  atEnd(end);
  const { body } = await fetch(`${dashboardUrl}/api/live?pair=${pairId}`, {
    headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') },
    signal: stop.signal,
  });
  let books = 0;
  const read = async () => {
    for await (const text of body.pipeThrough(new TextDecoderStream()))
      books += text.split('event: book\n').length - 1;
  };
  read().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  return { count: () => books, stop: end };
}
