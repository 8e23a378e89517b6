/**
 * Forwards requests of a page to an API, signed with the key of the browser's session.
 *
 * 1. Only listed headers pass, in both directions, so that a page can neither choose its credential nor its address.
 * 2. A request is sent once. The SDK in the page repeats it with its Idempotency-Key.
 */
import { createRequestSigner } from '@trading-automation/signed-request/browser';
import { ADDRESS_HEADER, dashboardRuntime } from '../process/runtime';
import { sendError, withCookies } from './responses';
import { clearedCookie, readSession } from './session';

/** A read is answered at once or repeated later. A write may take as long as the slowest response of the API. */
const TIMEOUT_MS = { GET: 10_000, others: 40_000 };
const REQUEST_HEADERS = ['accept', 'content-type', 'idempotency-key', 'if-none-match', 'x-background'];
const RESPONSE_HEADERS = [
  'content-type',
  'deprecation',
  'etag',
  'idempotency-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
];
const BODY_MAX_BYTES = 1024 * 1024;

/** Sends the request to `path` of an API and returns its response. */
export async function forward(request: Request, origin: string, path: string): Promise<Response> {
  const body = request.method === 'GET' ? '' : await request.text();
  if (body.length > BODY_MAX_BYTES) return sendError(413, 'payload_too_large', 'The body is over 1 MiB.');
  const session = await readSession(request);
  const headers = pick(request.headers, REQUEST_HEADERS);
  headers.set('x-forwarded-for', request.headers.get(ADDRESS_HEADER) ?? '');
  headers.set('accept-encoding', 'identity');
  if (session !== undefined) {
    const sign = createRequestSigner(Buffer.from(session.privateKey, 'hex'));
    const signature = sign({ method: request.method, path, body });
    for (const [name, value] of Object.entries(signature)) headers.set(name, value);
  }
  let response: Response;
  try {
    response = await fetch(origin + path, {
      method: request.method,
      headers,
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
      signal: AbortSignal.any([
        request.signal,
        AbortSignal.timeout(TIMEOUT_MS[request.method === 'GET' ? 'GET' : 'others']),
      ]),
    });
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 });
    dashboardRuntime().logger.warn({ event: 'upstream.failed', err: error }, 'The API did not respond.');
    return sendError(503, 'service_unavailable', 'The API does not respond. Try again in a few seconds.');
  }
  const answer = passOnResponse(response);
  // The API no longer accepts the key of the session: it was signed out, was idle or is over.
  const isOver = response.status === 401 && session !== undefined;
  return isOver ? withCookies(answer, [clearedCookie('session')]) : answer;
}

/** Returns the response of an API for the page: its status, its body, and the listed headers. */
export function passOnResponse(response: Response): Response {
  const headers = pick(response.headers, RESPONSE_HEADERS);
  headers.set('cache-control', 'no-store');
  return new Response(response.body, { status: response.status, headers });
}

function pick(source: Headers, names: readonly string[]): Headers {
  const picked = new Headers();
  for (const name of names) {
    const value = source.get(name);
    if (value !== null) picked.set(name, value);
  }
  return picked;
}
