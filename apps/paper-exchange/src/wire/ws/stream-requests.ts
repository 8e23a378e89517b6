import { z } from 'zod';

const MAX_STREAMS_PER_CONNECTION = 1_024;

/** The venue ignores other fields of a request. ccxt.pro sends some of its own. */
const Request = z.object({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE', 'LIST_SUBSCRIPTIONS']),
  params: z.array(z.string().max(100)).max(MAX_STREAMS_PER_CONNECTION).optional(),
  id: z.union([z.int(), z.string().max(36), z.null()]),
});

/** What a connection can do with its subscriptions. */
export interface StreamSubscriptions {
  readonly names: ReadonlySet<string>;
  isKnown(name: string): boolean;
  subscribe(name: string): void;
  unsubscribe(name: string): void;
}

/** Runs a request of a stream connection and returns the response. A request is carried out as a whole or not at all. */
export function runStreamRequest(subscriptions: StreamSubscriptions, message: unknown): object {
  const request = Request.safeParse(message);
  if (!request.success) {
    const { path, message: problem } = request.error.issues[0] ?? { path: [], message: 'malformed' };
    return failure(2, `Invalid request: ${[...path, problem].join(' ')}`, null);
  }
  const { method, params, id } = request.data;
  if (method === 'LIST_SUBSCRIPTIONS') return { result: [...subscriptions.names], id };
  if (params === undefined) return failure(2, 'Invalid request: missing field `params`', id);
  const unknown = params.find((name) => !subscriptions.isKnown(name));
  if (unknown !== undefined) return failure(2, `Invalid request: unknown stream '${unknown}'`, id);
  if (method === 'UNSUBSCRIBE') for (const name of params) subscriptions.unsubscribe(name);
  else {
    const size = new Set([...subscriptions.names, ...params]).size;
    if (size > MAX_STREAMS_PER_CONNECTION) return failure(3, 'Too many streams', id);
    for (const name of params) subscriptions.subscribe(name);
  }
  return { result: null, id };
}

function failure(code: number, msg: string, id: number | string | null): object {
  return { error: { code, msg }, id };
}
