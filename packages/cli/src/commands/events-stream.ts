import type { Context, Register } from '../context.js';
import { selectorsOf } from '../listen/selectors.js';
import { streamRawEvents } from '../listen/stream-events.js';
import { safeLine } from '../terminal/text-of.js';
import { groupIn, withExamples } from './group.js';
import { collect } from './listen.js';

interface Options {
  readonly events?: readonly string[];
  readonly after?: string;
}

export const registerEventsStream: Register = (program, run) => {
  const command = groupIn(program, 'events')
    .command('stream')
    .summary('print events as they happen')
    .description(
      'Prints events as they happen, one per line, until Ctrl-C. With --json, prints each event as webhooks receive it.',
    )
    .option('--events <types>', 'only these types: trade.filled,copier.* (default: all)', collect)
    .option('--after <event-id>', 'start after this event of the last 30 days (default: now)')
    .action(run<readonly [], Options>((context, _args, options) => stream(context, options)));
  withExamples(command, "svc events stream --events 'trade.*' --json", 'svc events stream --jq .data.id');
};

async function stream(context: Context, { events = [], after }: Options): Promise<void> {
  const { print, settings, signal, terminal } = context;
  const source = streamRawEvents({
    client: await context.client(),
    selectors: selectorsOf(events),
    after,
    signal,
    onOpen: () => print.detail('connected'),
    onDisconnect: () => print.warn('reconnecting to the event stream'),
  });
  const isUnchanged = settings.json?.length === 0 && settings.jq === undefined;
  for await (const { id, type, text } of source) {
    if (isUnchanged) {
      await print.line(terminal.isScreen ? safeLine(text) : text);
      continue;
    }
    const event = JSON.parse(text) as { timestamp: string; data: { id?: unknown } };
    const line = [event.timestamp, type, id, event.data.id ?? ''].map((cell) => safeLine(String(cell)));
    await print.streamItem(event, line.join('\t'));
  }
}
