import type { Client } from '@trading-automation/sdk';
import type { RawEvent } from './receiver.js';
import { isSelected, serverFilterOf } from './selectors.js';

export interface EventSourceOptions {
  readonly client: Client<'string'>;
  readonly selectors: readonly string[];
  /** Id of the event after which the stream starts. Default: now. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  onOpen(): void;
  onDisconnect(error: unknown): void;
}

/** Streams the account's events as they happen, each with its exact text. Reconnects automatically. */
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
    if (isSelected(selectors, type)) yield { id, type, text };
  }
}
