import type { Client } from '@trading-automation/sdk';
import { isForeignResponse } from '../foreign-server.js';
import type { RawEvent } from './receiver.js';
import { isSelected, serverFilterOf } from './selectors.js';

/** As many attempts as other commands make. */
const FOREIGN_RESPONSES_MAX = 3;

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
  let foreignResponses = 0;
  const stream = client.stream('/v1/events/stream', serverFilterOf(selectors), {
    signal,
    onOpen: () => {
      foreignResponses = Number.NEGATIVE_INFINITY;
      onOpen();
    },
    onCut: (error) => {
      // A proxy may respond during a deployment. Repeatedly, and before the first event stream, it is another server.
      if (isForeignResponse(error) && ++foreignResponses === FOREIGN_RESPONSES_MAX) throw error;
      onDisconnect(error);
    },
    ...(after === undefined ? {} : { lastEventId: after }),
  });
  for await (const { id, data: text } of stream) {
    const { type } = JSON.parse(text) as { type: string };
    if (isSelected(selectors, type)) yield { id, type, text };
  }
}
