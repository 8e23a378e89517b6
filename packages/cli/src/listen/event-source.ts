import type { Client } from '@trading-automation/sdk';
import type { EventText } from './receiver.js';
import { askedOf, isWanted } from './selectors.js';

export interface Source {
  readonly client: Client<'string'>;
  readonly selectors: readonly string[];
  /** Begin after this event; at the present unless given. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  onOpen(): void;
  onCut(error: unknown): void;
}

/** The account's events as they happen, each as the text that it was sent with; taken up again after every cut. */
export async function* eventTexts(source: Source): AsyncGenerator<EventText, void, undefined> {
  const { client, selectors, after, signal, onOpen, onCut } = source;
  const stream = client.stream('/v1/events/stream', askedOf(selectors), {
    signal,
    onOpen,
    onCut,
    ...(after === undefined ? {} : { lastEventId: after }),
  });
  for await (const { id, data: text } of stream) {
    const { type } = JSON.parse(text) as { type: string };
    if (isWanted(selectors, type)) yield { id, type, text };
  }
}
