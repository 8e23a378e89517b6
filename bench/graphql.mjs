/**
 * Compares the GraphQL API with baselines that do the same work.
 *
 *   pnpm turbo run build && node bench/graphql.mjs [list] [book]
 *
 * list: 20 trades, each with its exchange account, beside Mercurius with JIT over the same two statements
 *   (`graphql-baseline.mjs`). Both have a pool of 10 connections; each round opens 32 connections and asks 800 times.
 *   Ours is the whole product: signature, nonce, rate limit, checks. The baseline does none of these.
 * book: 2,000 sockets that follow one order book at 10 updates a second, beside a bare `ws` server that broadcasts the same
 *   bytes (`graphql-broadcast.mjs`). Both get updates through Redis. Lag is the time from an update's creation until it is read.
 *
 * 1. The run first checks that both lists are equal. For the book, it prints the bytes that each side read.
 * 2. Rounds are interleaved; each figure is the median of the rounds, each ratio the median of those within a round.
 */
import { compareBooks } from './graphql-book.mjs';
import { compareLists } from './graphql-list.mjs';
import { close } from './rest-environment.mjs';
import { runAndClose } from './run.mjs';

const PARTS = { list: compareLists, book: compareBooks };
const asked = process.argv.slice(2).filter((name) => name in PARTS);

await runAndClose(async () => {
  for (const name of asked.length > 0 ? asked : Object.keys(PARTS)) {
    await PARTS[name]();
    await close();
  }
}, close);
