import type { Context, Register } from '../context.js';
import { Failure, UsageError } from '../failures.js';
import { indented } from '../json/json-text.js';
import { deliver, type ForwardingStep } from '../listen/forwarding.js';
import type { RawEvent } from '../listen/receiver.js';
import { pastEvent, sampleOf } from '../listen/samples.js';
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
    .summary('hand one event to a receiver')
    .description(
      "Hands one event to a receiver: the sample of a kind, or an event of the past by its id. Signed with the profile's secret, as `svc listen` signs. Without a receiver it is printed.",
    )
    .argument('<event>', 'a kind, like trade.filled, or an id, evt_…')
    .option('--override <path=value>', "change a sample's member: data.status=FAILED (repeatable)", collect)
    .option('--forward-to <url>', 'hand it to this address: localhost:3000/hook')
    .option('--header <name:value>', 'send this header, too (repeatable)', collect)
    .option('--webhook <id>', `let the platform send its test event (${TEST_EVENT}) to a registered webhook`)
    .option('--skip-verify', "take the receiver's certificate as it is")
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
  const text = await eventOf(context, event, options.override ?? []);
  if (receiver === undefined)
    return settings.json === undefined
      ? print.line(indented(text.text))
      : print.record(JSON.parse(text.text));
  const step = await deliver(text, receiver, signal);
  await print.streamed(step, colored(context, step));
  signal.throwIfAborted();
  if (step.kind === 'failed') throw new Failure(`The receiver has not taken it: ${reasonOf(step)}.`);
}

async function eventOf(context: Context, event: string, overrides: readonly string[]): Promise<RawEvent> {
  const isPast = event.startsWith('evt_');
  if (isPast && overrides.length > 0)
    throw new UsageError('--override is for samples: an event of the past is handed over as it was.');
  const { events } = await context.client();
  if (isPast) return pastEvent(events, event, context.signal);
  return sampleOf(events, event, overrides, context.signal);
}

async function testWebhook(context: Context, event: string, id: string, options: Options): Promise<void> {
  if (event !== TEST_EVENT)
    throw new UsageError(
      `The platform sends ${TEST_EVENT} alone.`,
      `Say svc trigger ${TEST_EVENT} --webhook ${id}; or hand ${event} over yourself with --forward-to.`,
    );
  if (options.forwardTo !== undefined || options.override !== undefined || options.header !== undefined)
    throw new UsageError('--webhook goes with no other option: the platform sends the event.');
  const { print, signal } = context;
  const client = await context.client();
  const delivery = await context.progress('Waiting for the receiver', () =>
    client.webhooks.test(id, { signal, timeout: Math.max(context.settings.timeoutMs, 40_000) }),
  );
  await print.record(delivery);
  if (delivery.status !== 'SUCCEEDED')
    throw new Failure(
      `The receiver has not taken it: ${delivery.status_code ?? delivery.error ?? 'no answer'}.`,
    );
}

function reasonOf(step: ForwardingStep): string {
  if (step.kind === 'received') return '';
  return step.error ?? `it answered ${step.status}`;
}
