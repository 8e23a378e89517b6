import type { TradeSignal } from '@trading-automation/sdk';
import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { withRealtime } from '../live/signed-client.js';
import { safeLine } from '../terminal/text-of.js';
import { groupIn, withExamples } from './group.js';

interface Options {
  readonly after?: string;
}

export const registerSignals: Register = (program, run) => {
  const command = groupIn(program, 'signals')
    .command('stream')
    .summary('print the signals of a strategy as they are emitted')
    .description(
      "Prints the signals of your strategy, or of another user's active public strategy, one per line, until Ctrl-C. Reconnects automatically; no signal is lost or repeated.",
    )
    .argument('<strategy>', 'strategy id, str_…')
    .option('--after <sequence>', 'start after this sequence; 0 starts at the first signal (default: now)')
    .action(
      run<readonly [string], Options>((context, [strategy], options) => stream(context, strategy, options)),
    );
  withExamples(
    command,
    'svc signals stream str_01jd7x0000e6w9k3v5t7q2m8np --after 0',
    'svc signals stream str_01jd7x0000e6w9k3v5t7q2m8np --json sequence,kind,symbol,side,reference_price',
  );
};

async function stream(context: Context, strategy: string, { after }: Options): Promise<void> {
  const afterSequence = after === undefined ? {} : { afterSequence: sequenceOf(after) };
  const { print, signal } = context;
  await withRealtime(context, async (realtime) => {
    for await (const each of realtime.tradeSignals(strategy, { ...afterSequence, signal }))
      await print.streamItem(each, lineOf(each));
  });
}

function lineOf(each: TradeSignal<'string'>): string {
  const { emitted_at, sequence, kind, symbol, side, filled_amount, reference_price, source_trade_id } = each;
  return [emitted_at, sequence, kind, symbol, side, filled_amount, reference_price, source_trade_id]
    .map((cell) => safeLine(String(cell)))
    .join('\t');
}

function sequenceOf(text: string): number {
  const sequence = Number(text);
  if (!Number.isSafeInteger(sequence) || sequence < 0)
    throw new UsageError(`--after must be an integer of 0 or more; got ${safeLine(text)}.`);
  return sequence;
}
