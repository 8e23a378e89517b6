/** Options of every stream. */
export interface StreamOptions {
  /** Ends the stream when aborted. The stream then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A stream of live data to read in a loop. Use one loop per stream: each item goes to one reader only.
 *
 * @example
 * const books = live.orderbook(pairId);
 * for await (const { bids, asks } of books) {
 *   console.log(bids[0], asks[0]);
 *   break; // leaving the loop closes the stream
 * }
 */
export interface RealtimeStream<T> extends AsyncIterableIterator<T> {
  /** Waits for the next item and returns it. */
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends the stream. Unread items are dropped. */
  close(): void;
  /** Ends the stream. The runtime calls it when you leave the loop. */
  return(): Promise<IteratorResult<T, undefined>>;
}
