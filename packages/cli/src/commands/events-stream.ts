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
    .summary('events as they happen')
    .description(
      'Prints events as they happen, one a line, until Ctrl-C; with --json each as it is sent to webhooks.',
    )
    .option('--events <kinds>', 'only these: trade.filled,copier.* (default: all)', collect)
    .option('--after <event-id>', 'begin after this event of the last 30 days, in place of now')
    .action(run<readonly [], Options>((context, _args, options) => stream(context, options)));
  withExamples(command, "svc events stream --events 'trade.*' --json", 'svc events stream --jq .data.id');
};

async function stream(context: Context, { events = [], after }: Options): Promise<void> {
  const { print, settings, signal } = context;
  const source = streamRawEvents({
    client: await context.client(),
    selectors: selectorsOf(events),
    after,
    signal,
    onOpen: () => print.detail('connected'),
    onDisconnect: () => print.warn('the stream was cut, and is taken up again'),
  });
  const isAsSent = settings.json?.length === 0 && settings.jq === undefined;
  for await (const { id, type, text } of source) {
    if (isAsSent) {
      await print.line(text);
      continue;
    }
    const event = JSON.parse(text) as { timestamp: string; data: { id?: unknown } };
    const line = [event.timestamp, type, id, event.data.id ?? ''].map((cell) => safeLine(String(cell)));
    await print.streamed(event, line.join('\t'));
  }
}
