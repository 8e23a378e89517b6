/**
 * Forwards a stream of events to a receiver.
 *
 * 1. Each event is told before it is handed over, and what became of it after; a receiver that fails stops nothing.
 * 2. Some are on their way at once, as from the dispatcher: a slow receiver holds up a few, and the stream waits for it.
 * 3. When it is ended, what is on its way is cut short and told so.
 */
import { isAccepted, type RawEvent, type Receiver, sendEvent } from './receiver.js';

const AT_ONCE_MAX = 8;

/** What happened to an event: one line each, or one record. */
export type ForwardingStep =
  | { readonly kind: 'received'; readonly event_id: string; readonly type: string }
  | {
      readonly kind: 'handed_over' | 'failed';
      readonly event_id: string;
      readonly type: string;
      readonly url: string;
      readonly status: number | null;
      readonly error: string | null;
      readonly ms: number;
    };

/** Goes on until the stream ends or is aborted. */
export async function forward(
  events: AsyncIterable<RawEvent>,
  {
    receiver,
    signal,
    onStep,
  }: { receiver?: Receiver; signal: AbortSignal; onStep: (step: ForwardingStep) => void },
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  try {
    for await (const event of events) {
      onStep({ kind: 'received', event_id: event.id, type: event.type });
      if (receiver === undefined) continue;
      const delivery = deliver(event, receiver, signal)
        .then(onStep)
        .finally(() => underWay.delete(delivery));
      underWay.add(delivery);
      if (underWay.size >= AT_ONCE_MAX) await Promise.race(underWay);
    }
  } finally {
    await Promise.all(underWay);
  }
}

export async function deliver(
  event: RawEvent,
  receiver: Receiver,
  signal: AbortSignal,
): Promise<ForwardingStep> {
  const handed = await sendEvent(event, receiver, signal);
  return {
    kind: isAccepted(handed) ? 'handed_over' : 'failed',
    event_id: event.id,
    type: event.type,
    url: receiver.url.href,
    status: handed.status ?? null,
    error: handed.failure ?? null,
    ms: handed.ms,
  };
}

/** `--> trade.filled [evt_…]`, `<-- 204 POST http://… [evt_…] (12 ms)` */
export function lineOf(step: ForwardingStep): string {
  if (step.kind === 'received') return `--> ${step.type} [${step.event_id}]`;
  const { status, error, url, event_id, ms } = step;
  return `<-- ${status ?? 'ERR'} POST ${url} [${event_id}] (${ms} ms)${error === null ? '' : `: ${error}`}`;
}
