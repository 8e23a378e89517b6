import type { Client } from '@trading-automation/sdk';
import type { RawEvent } from './receiver.js';
import { isWanted, serverFilterOf } from './selectors.js';

export interface EventSourceOptions {
  readonly client: Client<'string'>;
  readonly selectors: readonly string[];
  /** Begin after this event; at the present unless given. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  onOpen(): void;
  onDisconnect(error: unknown): void;
}

/** The account's events as they happen, each as the text that it was sent with; taken up again after every cut. */
export async function* streamRawEvents(
  source: EventSourceOptions,
): AsyncGenerator<RawEvent, void, undefined> {
  const { client, selectors, after, signal, onOpen, onDisconnect } = source;
  const stream = client.stream('/v1/events/stream', serverFilterOf(selectors), {
    signal,
    onOpen,
    onCut: onDisconnect,
    ...(after === undefined ? {} : { lastEventId: after }),
  });
  for await (const { id, data: text } of stream) {
    const { type } = JSON.parse(text) as { type: string };
    if (isWanted(selectors, type)) yield { id, type, text };
  }
}
