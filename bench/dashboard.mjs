/**
 * Measures the dashboard in a browser, against an empty page of the same build in the same run.
 *
 *   pnpm turbo run build && node bench/dashboard.mjs [pages] [book] [trades] [--rounds 3]
 *
 * 1. The product runs as with `npm start`, with the data of `npm run demo-data`. The rate limits of the API are raised.
 * 2. `pages`: each page is loaded without a cache and then used, alternately with the empty page. A ratio is that of the
 *    median of the page to the median of all visits of the empty page. Before, the server has sent each page a few times, as one that runs for longer than a minute.
 * 3. `book`: a market while its order book changes 1,000 times a second. `trades`: a list of 10,000 trades that scrolls from its
 *    first to its last row. Both count frames, alternately with the empty page.
 * 4. Exits with 1 if a limit is missed.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { recordsOf } from '../tooling/e2e/dashboard/page-people.mjs';
import { ADDRESSES, withRecords } from '../tooling/e2e/dashboard/pages.mjs';
import { createClient } from '../tooling/launch/first-trade/client.mjs';
import { measureBook } from './dashboard-book.mjs';
import {
  COOKIES_OF_FINISHED,
  close,
  EMPTY_PAGE,
  signIn,
  startEnvironment,
  warmUp,
} from './dashboard-environment.mjs';
import { compare, compareWithAll, judge, median } from './dashboard-figures.mjs';
import { countScrolledFrames } from './dashboard-frames.mjs';
import { openUserWithTrades } from './dashboard-trades.mjs';
import { visit } from './dashboard-visit.mjs';
import { runAndClose } from './run.mjs';

const LIMITS = {
  overviewKib: 180,
  pageKib: 220,
  shift: 0.02,
  ratio: 2,
  bookFrames: 0.6,
  paints: 10,
  listFrames: 0.8,
};
const TRADES = 10_000;
const KIB = 1_024;
const ms = (value) => `${value.toFixed(0)} ms`;
const print = (line) => console.error(line);

/** @returns {Promise<import('./dashboard-figures.mjs').Figure[]>} */
async function measurePages(environment, rounds) {
  const records = await recordsOf(createClient(environment.product));
  const pages = ADDRESSES.map((page) => ({ ...page, url: withRecords(page.address, records), heading: /./ }));
  const results = new Map(pages.map(({ address }) => [address, []]));
  for (let round = 1; round <= rounds; round++) {
    // A session without a person at its page ends after 30 minutes.
    const session = await signIn(environment, environment.product.apiKey, COOKIES_OF_FINISHED);
    if (round === 1) await warmUp(environment, session, [EMPTY_PAGE, ...pages]);
    for (const page of pages) {
      const visited = await visit(environment.browser, page, page.isSignedOut ? undefined : session);
      const empty = await visit(environment.browser, EMPTY_PAGE, session);
      results.get(page.address).push({ ...visited, empty });
    }
    print(`round ${round} of ${rounds} is complete`);
  }
  return reportPages(results);
}

function reportPages(results) {
  const columns = [56, 14, 12, 8, 22, 22];
  const row = (cells) =>
    console.log(
      cells.map((cell, i) => (i === 0 ? cell.padEnd(columns[i]) : cell.padStart(columns[i]))).join(''),
    );
  row(['page', 'scripts first', 'later, KiB', 'CLS', 'LCP: page/empty', 'INP: page/empty']);
  const empties = [...results.values()].flat().map(({ empty }) => empty);
  const pages = [...results].map(([path, rounds]) => {
    const page = figuresOf(path, rounds, empties);
    const inWords = ({ page: own, empty, ratio }) =>
      `${own.toFixed(0)}/${empty.toFixed(0)} ms ${ratio.toFixed(2)}`;
    row([
      path,
      page.first.toFixed(1),
      page.later.toFixed(1),
      page.shift.toFixed(3),
      inWords(page.paint),
      inWords(page.input),
    ]);
    return page;
  });
  const { scripts } = results.values().next().value[0].empty;
  console.log(`scripts of the empty page: ${((scripts.first + scripts.later) / KIB).toFixed(1)} KiB\n`);
  return limitsOf(pages);
}

function figuresOf(path, rounds, empties) {
  const of = (visits, name) => visits.map(({ [name]: value }) => value);
  const compared = (name) => compareWithAll(of(rounds, name), of(empties, name));
  return {
    path,
    first: median(rounds.map(({ scripts }) => scripts.first)) / KIB,
    later: median(rounds.map(({ scripts }) => scripts.later)) / KIB,
    shift: median(rounds.map(({ shift }) => shift)),
    paint: compared('paintMs'),
    input: compared('inputMs'),
  };
}

/** Returns a figure for each limit: that of the page with the largest value. */
function limitsOf(pages) {
  const worst = (of) => pages.reduce((one, other) => (of(other) > of(one) ? other : one));
  const overview = pages.find(({ path }) => path === '/');
  const largest = worst(({ first }) => first);
  const shifted = worst(({ shift }) => shift);
  const paint = worst(({ paint: { ratio } }) => ratio);
  const input = worst(({ input: { ratio } }) => ratio);
  const times = (name, { path, [name]: { page, empty } }) => `${path}, ${ms(page)}, empty page ${ms(empty)}`;
  const kib = { digits: 1, unit: ' KiB' };
  return [
    {
      name: 'scripts on first load of the overview, gzip',
      value: overview.first,
      limit: LIMITS.overviewKib,
      ...kib,
    },
    {
      name: 'scripts on first load of any page, gzip',
      value: largest.first,
      limit: LIMITS.pageKib,
      note: largest.path,
      ...kib,
    },
    { name: 'CLS of any page', value: shifted.shift, limit: LIMITS.shift, digits: 3, note: shifted.path },
    {
      name: 'LCP of any page of that of the empty page',
      value: paint.paint.ratio,
      limit: LIMITS.ratio,
      note: times('paint', paint),
    },
    {
      name: 'INP of any page of that of the empty page',
      value: input.input.ratio,
      limit: LIMITS.ratio,
      note: times('input', input),
    },
  ];
}

async function measureTrades(environment, rounds) {
  const { product } = environment;
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  const apiKey = await openUserWithTrades(product, database, TRADES).finally(() => database.end());
  const session = await signIn(environment, apiKey);
  const list = { url: '/trades', heading: 'Trades' };
  const { page, empty, ratio } = compare(
    await countScrolledFrames(environment, session, { list, rows: TRADES, rounds }),
  );
  return [
    framesOf(
      'frames while 10,000 trades scroll, of the empty page',
      { page, empty, ratio },
      LIMITS.listFrames,
    ),
  ];
}

const framesOf = (name, { page, empty, ratio }, limit) => ({
  name,
  value: ratio,
  limit,
  isMinimum: true,
  note: `${page.toFixed(1)} a second, empty page ${empty.toFixed(1)}`,
});

async function measureBookFrames(environment, rounds) {
  const results = await measureBook(environment, rounds);
  const updates = median(results.map(({ updates: perSecond }) => perSecond));
  const delivered = median(results.map(({ books }) => books));
  return [
    framesOf(
      'frames while a book changes 1,000 times a second, of the empty page',
      compare(results),
      LIMITS.bookFrames,
    ),
    {
      name: 'paints of the book a second',
      value: Math.max(...results.map(({ paints }) => paints)),
      limit: LIMITS.paints,
      digits: 1,
      note: `${updates.toFixed(0)} updates published and ${delivered.toFixed(1)} books delivered a second`,
    },
  ];
}

const PARTS = { pages: measurePages, book: measureBookFrames, trades: measureTrades };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
});
await runAndClose(async () => {
  const unknown = positionals.filter((name) => !(name in PARTS));
  if (unknown.length > 0) throw new Error(`unknown part: ${unknown.join(', ')}. Use pages, book or trades.`);
  const startedAt = performance.now();
  const environment = await startEnvironment(print);
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, Node ${process.version}; median of ${values.rounds} interleaved rounds\n`,
  );
  const figures = [];
  for (const [name, measure] of Object.entries(PARTS))
    if (positionals.length === 0 || positionals.includes(name))
      figures.push(...(await measure(environment, Number(values.rounds))).map(judge));
  for (const { line } of figures) console.log(line);
  console.log(`\n${Math.round((performance.now() - startedAt) / 1_000)} s in all`);
  if (!figures.every(({ isMet }) => isMet)) process.exitCode = 1;
}, close);
