/**
 * Forwards a stream of events to a receiver.
 *
 * 1. An event is reported before its delivery, and the result afterwards. A failing receiver does not stop the stream.
 * 2. Deliveries run concurrently up to a limit, as in the webhook dispatcher. At the limit, the stream waits for the
 *    receiver. With a queue of deliveries (`p-limit`), events would pile up in memory instead.
 * 3. When the command ends, deliveries in flight are aborted and reported as failed.
 */
import { isAccepted, type RawEvent, type Receiver, sendEvent } from './receiver.js';

const CONCURRENCY = 8;

/** A step in the delivery of an event. It is printed as a line or a record. */
export type ForwardingStep =
  | { readonly kind: 'received'; readonly event_id: string; readonly type: string }
  | {
      readonly kind: 'forwarded' | 'failed';
      readonly event_id: string;
      readonly type: string;
      readonly url: string;
      readonly status: number | null;
      readonly error: string | null;
      readonly ms: number;
    };

/** Forwards events until the stream ends or is aborted. */
export async function forward(
  events: AsyncIterable<RawEvent>,
  {
    receiver,
    signal,
    onStep,
  }: { receiver?: Receiver; signal: AbortSignal; onStep: (step: ForwardingStep) => void },
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  try {
    for await (const event of events) {
      onStep({ kind: 'received', event_id: event.id, type: event.type });
      if (receiver === undefined) continue;
      const delivery = deliver(event, receiver, signal)
        .then(onStep)
        .finally(() => inFlight.delete(delivery));
      inFlight.add(delivery);
      if (inFlight.size >= CONCURRENCY) await Promise.race(inFlight);
    }
  } finally {
    await Promise.all(inFlight);
  }
}

export async function deliver(
  event: RawEvent,
  receiver: Receiver,
  signal: AbortSignal,
): Promise<ForwardingStep> {
  const result = await sendEvent(event, receiver, signal);
  return {
    kind: isAccepted(result) ? 'forwarded' : 'failed',
    event_id: event.id,
    type: event.type,
    url: receiver.url.href,
    status: result.status ?? null,
    error: result.failure ?? null,
    ms: result.ms,
  };
}

/** Formats a step: `--> trade.filled [evt_…]` or `<-- 204 POST http://… [evt_…] (12 ms)`. */
export function lineOf(step: ForwardingStep): string {
  if (step.kind === 'received') return `--> ${step.type} [${step.event_id}]`;
  const { status, error, url, event_id, ms } = step;
  return `<-- ${status ?? 'ERR'} POST ${url} [${event_id}] (${ms} ms)${error === null ? '' : `: ${error}`}`;
}
