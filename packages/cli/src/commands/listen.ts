import { randomBytes } from 'node:crypto';
import type { Context, Register } from '../context.js';
import { UsageError } from '../failures.js';
import { type ForwardingStep, forward, lineOf } from '../listen/forwarding.js';
import { addressOf, headersOf, type Receiver } from '../listen/receiver.js';
import { selectorsOf, unknownAmong } from '../listen/selectors.js';
import { streamRawEvents } from '../listen/stream-events.js';
import type { Secrets } from '../profile/secrets.js';
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
    .summary('forward events to a local webhook receiver')
    .description(
      "Shows your account's events as they happen and forwards them to a receiver on this machine. They are signed as webhooks are, but with a secret of the profile. You need not create a webhook.",
    )
    .option('--forward-to <url>', 'forward each event to this address: localhost:3000/hook')
    .option('--events <types>', 'only these types: trade.filled,copier.* (default: all)', collect)
    .option('--header <name:value>', 'add this header (repeatable)', collect)
    .option('--after <event-id>', 'start after this event of the last 30 days (default: now)')
    .option('--print-secret', 'print the signing secret; without --forward-to, print only the secret')
    .option('--skip-verify', "do not verify the receiver's TLS certificate")
    .action(run<readonly [], Options>((context, _args, options) => listen(context, options)));
  withExamples(
    command,
    'svc listen --forward-to localhost:3000/hook',
    "svc listen --events 'trade.*,copier.stopped' --forward-to localhost:3000/hook",
    'WEBHOOK_SECRET=$(svc listen --print-secret) npm run dev',
  );
};

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
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
    else print.success('Reconnected; no event was lost.');
    isFirst = false;
  };
  const onDisconnect = (error: unknown) =>
    print.warn(
      `reconnecting to the event stream${error instanceof Error ? `: ${safeLine(error.message)}` : ''}`,
    );
  // If the output fails, the command ends, because it can no longer show the results of deliveries.
  const output = new AbortController();
  const endSignal = AbortSignal.any([signal, output.signal]);
  let printing: Promise<void> = Promise.resolve();
  const onStep = (step: ForwardingStep) => {
    printing = printing
      .then(() => print.streamItem(step, colored(context, step)))
      .catch((error) => output.abort(error));
  };
  const events = streamRawEvents({
    client,
    selectors,
    after: options.after,
    signal: endSignal,
    onOpen,
    onDisconnect,
  });
  try {
    await forward(events, { ...(receiver === undefined ? {} : { receiver }), signal: endSignal, onStep });
  } finally {
    await printing;
  }
}

/**
 * Returns the receiver that the options describe; undefined without `--forward-to`.
 * @throws {UsageError} if another option requires `--forward-to`, or if the address is invalid
 */
export async function receiverOf(
  { secrets }: Context,
  { forwardTo, header = [], skipVerify }: Pick<Options, 'forwardTo' | 'header' | 'skipVerify'>,
): Promise<Receiver | undefined> {
  if (forwardTo === undefined) {
    if (header.length > 0 || skipVerify === true)
      throw new UsageError('--header and --skip-verify require --forward-to.');
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
      `--events: unknown event type ${unknown}.`,
      `Use *, a prefix such as trade.*, or one of: ${known.join(', ')}`,
    );
}

function readyLine(
  selectors: readonly string[],
  receiver: Receiver | undefined,
  isSecretShown: boolean,
): string {
  const shownEvents = selectors[0] === '*' ? 'all events' : selectors.join(', ');
  if (receiver === undefined) return `Ready: showing ${shownEvents}. Press Ctrl-C to stop.`;
  const secret = isSecretShown ? receiver.secret : 'svc listen --print-secret';
  return `Ready: forwarding ${shownEvents} to ${receiver.url.href}. Signing secret: ${secret}. Press Ctrl-C to stop.`;
}

export function colored({ terminal }: Context, step: ForwardingStep): string {
  const { colors } = terminal;
  const line = safeLine(lineOf(step));
  if (step.kind === 'received') return colors.bold(line);
  return step.kind === 'failed' ? colors.red(line) : colors.green(line);
}

/** Returns the signing secret of the profile for `svc listen`; creates and stores it on first use. */
async function signingSecret(secrets: Pick<Secrets, 'get' | 'set'>): Promise<string> {
  const stored = await secrets.get('listen_secret');
  if (stored !== undefined) return stored;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await secrets.set('listen_secret', secret);
  return secret;
}
