/** Finds one request of the log. The API filters by status, method and credential, but not by id. */
import type { LoggedRequest } from '@trading-automation/sdk';

export interface SearchResult {
  /** Null if it was not found. */
  readonly record: LoggedRequest | null;
  /** The number of requests that were compared. */
  readonly searched: number;
  /** The log has further requests that were not compared. */
  readonly hasMore: boolean;
}

export const isRequest = ({ id, request_id }: LoggedRequest, wanted: string) =>
  request_id === wanted || id === wanted;

/** Compares at most `max` requests, in their order. `wanted`: the `x-request-id` of a response, or the id of the record. */
export async function findRequest(
  requests: AsyncIterable<LoggedRequest>,
  wanted: string,
  max: number,
): Promise<SearchResult> {
  let searched = 0;
  for await (const record of requests) {
    if (searched === max) return { record: null, searched, hasMore: true };
    searched += 1;
    if (isRequest(record, wanted)) return { record, searched, hasMore: false };
  }
  return { record: null, searched, hasMore: false };
}
