import type { Client } from '@trading-automation/sdk';
import { isForeignResponse } from '../foreign-server.js';
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
  let hasOpened = false;
  const stream = client.stream('/v1/events/stream', serverFilterOf(selectors), {
    signal,
    onOpen: () => {
      hasOpened = true;
      onOpen();
    },
    onCut: (error) => {
      // Before the first event stream, another server at the address is not a temporary failure of the API.
      if (!hasOpened && isForeignResponse(error)) throw error;
      onDisconnect(error);
    },
    ...(after === undefined ? {} : { lastEventId: after }),
  });
  for await (const { id, data: text } of stream) {
    const { type } = JSON.parse(text) as { type: string };
    if (isSelected(selectors, type)) yield { id, type, text };
  }
}
