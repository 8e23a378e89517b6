import type { Context, Register } from '../context.js';
import { Failure, UsageError } from '../failures.js';
import { type Book, lineOf, renderBook, rowsOf } from '../live/book-view.js';
import { withLiveView } from '../live/live-view.js';
import { pairIdOf } from '../live/pair.js';
import { withRealtime } from '../live/signed-client.js';
import { withExamples } from './group.js';
import { canRedraw } from './trades-watch.js';

interface Options {
  readonly live?: boolean;
  readonly depth: string;
  readonly exchange?: string;
}

const DEPTH_MAX = 500;

export const registerOrderbook: Register = (program, run) => {
  const command = program
    .command('orderbook')
    .summary('show or watch an order book')
    .description(
      'Shows the best levels of an order book. With --live, redraws them in a terminal until you press q; in a pipe, prints one line per change.',
    )
    .argument('<pair>', 'symbol or id of the pair: BTC/USDT')
    .option('--live', 'update until q or Ctrl-C')
    .option('--depth <levels>', `levels per side, 1 to ${DEPTH_MAX}`, '10')
    .option('--exchange <id>', 'exchange id, if several exchanges trade the pair')
    .action(run<readonly [string], Options>((context, [pair], options) => orderbook(context, pair, options)));
  withExamples(
    command,
    'svc orderbook BTC/USDT',
    'svc orderbook BTC/USDT --live --depth 5',
    "svc orderbook BTC/USDT --jq '.asks[0]'",
  );
};

async function orderbook(context: Context, pair: string, options: Options): Promise<void> {
  const depth = Number(options.depth);
  if (!Number.isSafeInteger(depth) || depth < 1 || depth > DEPTH_MAX)
    throw new UsageError(`--depth must be an integer from 1 to ${DEPTH_MAX}; got ${options.depth}.`);
  const { terminal, signal } = context;
  await withRealtime(context, async (realtime, client) => {
    const id = await pairIdOf(client, pair, options.exchange, signal);
    const streamBooks = (endSignal: AbortSignal): AsyncIterable<Book> =>
      realtime.orderbook(id, { depth, signal: endSignal });
    if (options.live !== true) return printOnce(context, streamBooks(signal));
    if (!canRedraw(context)) return printEach(context, streamBooks(signal));
    await withLiveView(terminal, signal, async (view) => {
      const hint = terminal.isInteractive ? `\n${terminal.colors.dim('press q to quit')}` : '';
      for await (const book of streamBooks(view.signal))
        view.draw(() => renderBook(book, terminal.colors) + hint);
    });
  });
}

async function printOnce({ print, settings, terminal }: Context, books: AsyncIterable<Book>): Promise<void> {
  for await (const book of books) {
    if (settings.json !== undefined) return print.record(book);
    if (terminal.isScreen) return print.line(renderBook(book, terminal.colors));
    return print.records(rowsOf(book), ['bid_amount', 'bid', 'ask', 'ask_amount']);
  }
  throw new Failure('The stream ended before the first order book.');
}

async function printEach({ print }: Context, books: AsyncIterable<Book>): Promise<void> {
  for await (const book of books) await print.streamItem(book, lineOf(book));
}
