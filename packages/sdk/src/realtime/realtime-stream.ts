/** What a stream is opened with. */
export interface StreamOptions {
  /** Ends the stream when it is aborted: its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Live data, to be read in a loop. It is read by one loop: what one reader is handed, no other gets.
 *
 * @example
 * const books = live.orderbook(pairId);
 * for await (const { bids, asks } of books) {
 *   console.log(bids[0], asks[0]);
 *   break; // leaving the loop closes the stream
 * }
 */
export interface RealtimeStream<T> extends AsyncIterableIterator<T> {
  /** What comes next; waits for it. */
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends the stream. What was not read yet is dropped. */
  close(): void;
  /** Ends the stream, as a loop does that is left. */
  return(): Promise<IteratorResult<T, undefined>>;
}
