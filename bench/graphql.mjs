/**
 * Compares the GraphQL API with baselines that do the same work.
 *
 *   pnpm turbo run build && node bench/graphql.mjs [list] [book]
 *
 * list: 20 trades, each with its exchange account. The baseline is Mercurius with JIT and the same two statements
 *   (`graphql-baseline.mjs`). Both have a pool of 10 connections; each round opens 32 connections and sends 800 requests.
 *   The product checks signature, nonce, rate limit and input. The baseline checks nothing.
 * book: 2,000 sockets subscribe to one order book with 10 updates a second. The baseline is a `ws` server that
 *   broadcasts the same bytes (`graphql-broadcast.mjs`). Both get updates through Redis. Lag is the time from the
 *   creation of an update until it is read.
 *
 * 1. The run first checks that both lists are equal. For the book, it prints how many bytes the clients of each
 *    server read.
 * 2. Rounds are interleaved; each figure is the median of the rounds, each ratio the median of the ratios of all rounds.
 */
import { compareBooks } from './graphql-book.mjs';
import { compareLists } from './graphql-list.mjs';
import { close } from './rest-environment.mjs';
import { runAndClose } from './run.mjs';

const BENCHMARKS = { list: compareLists, book: compareBooks };
const selected = process.argv.slice(2).filter((name) => name in BENCHMARKS);

await runAndClose(async () => {
  for (const name of selected.length > 0 ? selected : Object.keys(BENCHMARKS)) {
    await BENCHMARKS[name]();
    await close();
  }
}, close);
