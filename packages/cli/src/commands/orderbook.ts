import type { Context, Register } from '../context.js';
import { Failure, UsageError } from '../failures.js';
import { type Book, lineOf, renderBook, rowsOf } from '../live/book-view.js';
import { withLiveView } from '../live/live-view.js';
import { pairIdOf } from '../live/pair.js';
import { withRealtime } from '../live/signed-client.js';
import { withExamples } from './group.js';
import { isLive } from './trades-watch.js';

interface Options {
  readonly live?: boolean;
  readonly depth: string;
  readonly exchange?: string;
}

const DEPTH_MAX = 500;

export const registerOrderbook: Register = (program, run) => {
  const command = program
    .command('orderbook')
    .summary('show an order book, or watch it')
    .description(
      'Shows the best levels of an order book. With --live they change in their place on a screen, q ends it; a pipe gets a line for each change.',
    )
    .argument('<pair>', 'by its symbol or id: BTC/USDT')
    .option('--live', 'go on showing it')
    .option('--depth <levels>', `of each side, 1 to ${DEPTH_MAX}`, '10')
    .option('--exchange <id>', 'where several trade the pair')
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
    throw new UsageError(`--depth is a whole number from 1 to ${DEPTH_MAX}, and is ${options.depth}.`);
  const { terminal, signal } = context;
  await withRealtime(context, async (live, client) => {
    const id = await pairIdOf(client, pair, options.exchange, signal);
    const booksUntil = (ends: AbortSignal): AsyncIterable<Book> =>
      live.orderbook(id, { depth, signal: ends });
    if (options.live !== true) return printOnce(context, booksUntil(signal));
    if (!isLive(context)) return printAll(context, booksUntil(signal));
    await withLiveView(terminal, signal, async (view) => {
      const hint = terminal.isInteractive ? `\n${terminal.colors.dim('q ends it')}` : '';
      for await (const book of booksUntil(view.signal))
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
  throw new Failure('The order book was closed before it was told.');
}

async function printAll({ print }: Context, books: AsyncIterable<Book>): Promise<void> {
  for await (const book of books) await print.streamed(book, lineOf(book));
}
