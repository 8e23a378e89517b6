import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { type ForwardingStep, forward, lineOf } from '../listen/forwarding.js';
import { addressOf, headersOf, type Receiver } from '../listen/receiver.js';
import { signingSecret } from '../listen/secret.js';
import { selectorsOf, unknownAmong } from '../listen/selectors.js';
import { streamRawEvents } from '../listen/stream-events.js';
import { safeLine } from '../terminal/text-of.js';
import { withExamples } from './group.js';

interface Options {
  readonly forwardTo?: string;
  readonly events?: readonly string[];
  readonly header?: readonly string[];
  readonly after?: string;
  readonly printSecret?: boolean;
  readonly skipVerify?: boolean;
}

export const registerListen: Register = (program, run) => {
  const command = program
    .command('listen')
    .summary('hand events to a receiver on this machine')
    .description(
      "Shows your account's events as they happen, and hands them to a receiver on this machine: signed as webhooks are, with a secret of the profile's own. No webhook need be registered.",
    )
    .option('--forward-to <url>', 'hand each event to this address: localhost:3000/hook')
    .option('--events <kinds>', 'only these: trade.filled,copier.* (default: all)', collect)
    .option('--header <name:value>', 'send this header, too (repeatable)', collect)
    .option('--after <event-id>', 'begin after this event of the last 30 days, in place of now')
    .option(
      '--print-secret',
      'print the secret that events are signed with; without --forward-to, that alone',
    )
    .option('--skip-verify', "take the receiver's certificate as it is")
    .action(run<readonly [], Options>((context, _args, options) => listen(context, options)));
  withExamples(
    command,
    'svc listen --forward-to localhost:3000/hook',
    "svc listen --events 'trade.*,copier.stopped' --forward-to localhost:3000/hook",
    'WEBHOOK_SECRET=$(svc listen --print-secret) npm run dev',
  );
};

/** A value of an option that may be given more than once. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

async function listen(context: Context, options: Options): Promise<void> {
  const { print, secrets, signal } = context;
  const receiver = await receiverOf(context, options);
  if (options.printSecret === true && receiver === undefined) return print.line(await signingSecret(secrets));
  const selectors = selectorsOf(options.events ?? []);
  const client = await context.client();
  if (selectors[0] !== '*') await checkSelectors(client, selectors, signal);

  let isFirst = true;
  const onOpen = () => {
    if (isFirst) print.success(readyLine(selectors, receiver, options.printSecret === true));
    else print.success('Connected again: nothing was lost meanwhile.');
    isFirst = false;
  };
  const onCut = (error: unknown) =>
    print.warn(
      `the stream was cut, and is taken up again${error instanceof Error ? `: ${safeLine(error.message)}` : ''}`,
    );
  // What can't be told ends it: nobody would see what became of an event.
  const telling = new AbortController();
  const ends = AbortSignal.any([signal, telling.signal]);
  let told: Promise<void> = Promise.resolve();
  const tell = (step: ForwardingStep) => {
    told = told
      .then(() => print.streamed(step, colored(context, step)))
      .catch((error) => telling.abort(error));
  };
  const events = streamRawEvents({
    client,
    selectors,
    after: options.after,
    signal: ends,
    onOpen,
    onDisconnect: onCut,
  });
  try {
    await forward(events, { ...(receiver === undefined ? {} : { receiver }), signal: ends, onStep: tell });
  } finally {
    await told;
  }
}

/** @throws {UsageError} for options that say nothing without `--forward-to`, and for an address that is none */
export async function receiverOf(
  { secrets }: Context,
  { forwardTo, header = [], skipVerify }: Pick<Options, 'forwardTo' | 'header' | 'skipVerify'>,
): Promise<Receiver | undefined> {
  if (forwardTo === undefined) {
    if (header.length > 0 || skipVerify === true)
      throw new UsageError('--header and --skip-verify are for a receiver: give --forward-to, too.');
    return undefined;
  }
  const url = addressOf(forwardTo);
  const headers = headersOf(header);
  return { url, headers, secret: await signingSecret(secrets), isCertificateChecked: skipVerify !== true };
}

async function checkSelectors(
  client: Awaited<ReturnType<Context['client']>>,
  selectors: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { types } = await client.events.types({}, { signal });
  const known = types.map(({ type }) => type);
  const [unknown] = unknownAmong(selectors, known);
  if (unknown !== undefined)
    throw new UsageError(
      `--events: there is no ${unknown}.`,
      `There are *, trade.* and so on, and: ${known.join(', ')}`,
    );
}

function readyLine(
  selectors: readonly string[],
  receiver: Receiver | undefined,
  isSecretShown: boolean,
): string {
  const what = selectors[0] === '*' ? 'all events' : selectors.join(', ');
  if (receiver === undefined) return `Ready: showing ${what}. Ctrl-C ends it.`;
  const secret = isSecretShown ? receiver.secret : 'svc listen --print-secret';
  return `Ready: handing ${what} to ${receiver.url.href}. The secret to verify with: ${secret}. Ctrl-C ends it.`;
}

export function colored({ terminal }: Context, step: ForwardingStep): string {
  const { colors } = terminal;
  const line = safeLine(lineOf(step));
  if (step.kind === 'received') return colors.bold(line);
  return step.kind === 'failed' ? colors.red(line) : colors.green(line);
}
