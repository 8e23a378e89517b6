import type { Context, Register } from '../context.js';
import { Failure } from '../failures.js';
import { withLiveView } from '../live/live-view.js';
import { lineOf, type WatchedTrade, type WatchOptions, watchTrades } from '../live/trade-watch.js';
import { tableOf } from '../terminal/table.js';
import { safeLine, textOf, valueAt } from '../terminal/text-of.js';
import { groupIn, withExamples } from './group.js';

interface Options {
  readonly untilFinal?: boolean;
}

const COLUMNS = [
  'id',
  'symbol',
  'side',
  'type',
  'amount',
  'filled_amount',
  'average_price',
  'status',
] as const;

export const registerTradesWatch: Register = (program, run) => {
  const command = groupIn(program, 'trades')
    .command('watch')
    .summary('watch trades as they change')
    .description(
      'Watches one trade or, by default, the open trades and the newest trade, open or not. A terminal shows a table until q is pressed; a pipe gets one line per change.',
    )
    .argument('[id]', 'id of a trade')
    .option(
      '--until-final',
      'end when all trades are filled, cancelled or failed; the exit code is 1 if one failed',
    )
    .action(
      run<readonly [string | undefined], Options>((context, [id], options) => watch(context, id, options)),
    );
  withExamples(command, 'svc trades watch --until-final', 'svc trades watch --json id,status,filled_amount');
};

async function watch(
  context: Context,
  id: string | undefined,
  { untilFinal = false }: Options,
): Promise<void> {
  const { terminal, signal } = context;
  const client = await context.client();
  let trades: readonly WatchedTrade[] = [];
  const follow = async (endSignal: AbortSignal, onTrade: WatchOptions['onTrade']) => {
    trades = await watchTrades({ client, id, isUntilFinal: untilFinal, signal: endSignal, onTrade });
  };
  if (canRedraw(context)) {
    await withLiveView(terminal, signal, (view) =>
      follow(view.signal, (_trade, all) => view.draw(() => renderTrades(all, context))),
    );
  } else await follow(signal, (trade) => context.print.streamItem(trade, safeLineOf(trade)));
  const failed = trades.find(({ status }) => status === 'FAILED');
  if (untilFinal && failed !== undefined) throw failureOf(failed);
}

/** Returns whether a view can be redrawn in place: stdout is a screen, --json is not set and TERM is not dumb. */
export function canRedraw({ terminal, settings, environment }: Context): boolean {
  return terminal.isScreen && settings.json === undefined && environment.variables.TERM !== 'dumb';
}

function renderTrades(trades: readonly WatchedTrade[], { terminal }: Context): string {
  const { colors, columns, hasUnicode } = terminal;
  const newestFirst = [...trades].sort((one, other) => (one.created_at > other.created_at ? -1 : 1));
  const rows = newestFirst.map((trade) => COLUMNS.map((column) => textOf(valueAt(trade, column)) || '-'));
  const layout = {
    columns,
    ellipsis: hasUnicode ? '…' : '...',
    heading: (text: string) => colors.bold(text),
  };
  const headings = COLUMNS.map((column) => column.replace('_', ' ').toUpperCase());
  const hint = terminal.isInteractive ? `\n${colors.dim('press q to quit')}` : '';
  return tableOf(headings, rows, layout) + hint;
}

const safeLineOf = (trade: WatchedTrade) => lineOf(trade).split('\t').map(safeLine).join('\t');

function failureOf({ id, failure }: WatchedTrade): Failure {
  const why = failure === undefined ? '' : `: ${failure.message} (${failure.code})`;
  return new Failure(`Trade ${id} failed${why}`);
}
