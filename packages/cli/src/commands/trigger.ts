import type { Context, Register } from '../context.js';
import { Failure, UsageError } from '../failures.js';
import { indented } from '../json/json-text.js';
import { deliver, type ForwardingStep } from '../listen/forwarding.js';
import type { RawEvent } from '../listen/receiver.js';
import { pastEvent, sampleOf } from '../listen/samples.js';
import { safeText } from '../terminal/text-of.js';
import { withExamples } from './group.js';
import { collect, colored, receiverOf } from './listen.js';

interface Options {
  readonly override?: readonly string[];
  readonly forwardTo?: string;
  readonly header?: readonly string[];
  readonly webhook?: string;
  readonly skipVerify?: boolean;
}

const TEST_EVENT = 'webhook.test';

export const registerTrigger: Register = (program, run) => {
  const command = program
    .command('trigger')
    .summary('send one event to a receiver')
    .description(
      'Sends one event to a receiver: the sample of an event type, or a past event by its id. The event is signed with the secret of `svc listen`. Without a receiver, prints the event.',
    )
    .argument('<event>', 'an event type, such as trade.filled, or an id, evt_…')
    .option(
      '--override <path=value>',
      'override a field of the sample: data.status=FAILED (repeatable)',
      collect,
    )
    .option('--forward-to <url>', 'send the event to this address: localhost:3000/hook')
    .option('--header <name:value>', 'add this header (repeatable)', collect)
    .option('--webhook <id>', `let the platform send its test event (${TEST_EVENT}) to a webhook`)
    .option('--skip-verify', "do not verify the receiver's TLS certificate")
    .action(run<readonly [string], Options>((context, [event], options) => trigger(context, event, options)));
  withExamples(
    command,
    'svc trigger trade.filled --forward-to localhost:3000/hook',
    'svc trigger trade.filled --override data.amount=2.5 --forward-to localhost:3000/hook',
    'svc trigger webhook.test --webhook whk_01jd7x0000e6w9k3v5t7q2m8np',
  );
};

async function trigger(context: Context, event: string, options: Options): Promise<void> {
  if (options.webhook !== undefined) return testWebhook(context, event, options.webhook, options);
  const receiver = await receiverOf(context, options);
  const { print, settings, signal } = context;
  const rawEvent = await eventOf(context, event, options.override ?? []);
  if (receiver === undefined)
    return settings.json === undefined
      ? print.line(safeText(indented(rawEvent.text)))
      : print.record(JSON.parse(rawEvent.text));
  const step = await deliver(rawEvent, receiver, signal);
  await print.streamItem(step, colored(context, step));
  signal.throwIfAborted();
  if (step.kind === 'failed') throw new Failure(`The receiver did not accept the event: ${reasonOf(step)}.`);
}

async function eventOf(context: Context, event: string, overrides: readonly string[]): Promise<RawEvent> {
  const isPast = event.startsWith('evt_');
  if (isPast && overrides.length > 0)
    throw new UsageError('--override works only with samples: a past event is sent unchanged.');
  const { events } = await context.client();
  if (isPast) return pastEvent(events, event, context.signal);
  return sampleOf(events, event, overrides, context.signal);
}

async function testWebhook(context: Context, event: string, id: string, options: Options): Promise<void> {
  if (event !== TEST_EVENT)
    throw new UsageError(
      `The platform sends only ${TEST_EVENT} to a webhook.`,
      `Run svc trigger ${TEST_EVENT} --webhook ${id}, or send ${event} yourself with --forward-to.`,
    );
  if (options.forwardTo !== undefined || options.override !== undefined || options.header !== undefined)
    throw new UsageError('--webhook cannot be combined with other options: the platform sends the event.');
  const { print, signal } = context;
  const client = await context.client();
  const delivery = await context.progress('Waiting for the receiver', () =>
    client.webhooks.test(id, { signal, timeout: Math.max(context.settings.timeoutMs, 40_000) }),
  );
  await print.record(delivery);
  if (delivery.status !== 'SUCCEEDED')
    throw new Failure(
      `The receiver did not accept the event: ${delivery.status_code ?? delivery.error_reason ?? delivery.error ?? 'no response'}.`,
      delivery.error_message,
    );
}

function reasonOf(step: ForwardingStep): string {
  if (step.kind === 'received') return '';
  return step.error ?? `it responded with ${step.status}`;
}
