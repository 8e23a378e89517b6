import { ADDRESS_HEADER, dashboardRuntime } from '../../../process/runtime';
import { sendError } from '../../../server/responses';
import { sameOrigin } from '../../../server/same-origin';
import { readSession } from '../../../server/session';

const PING_MS = 15_000;
/** A tab that leaves so many messages unread is gone. */
const UNREAD_MAX = 256;
const PAIR_ID = /^tpr_[0-9a-z]{26}$/;
const TIME = /^\d{1,15}$/;

/**
 * Streams live data to a tab: events, with those since `?since=` in milliseconds, the book of `?pair=`, and whether the
 * connection to the API is live.
 */
export const GET = sameOrigin(async (request: Request) => {
  const session = await readSession(request);
  if (session === undefined) return sendError(401, 'authentication_required', 'Sign in first.');
  const { config, live, stopping } = dashboardRuntime();
  const query = new URL(request.url).searchParams;
  const pairId = query.get('pair') ?? undefined;
  if (pairId !== undefined && !PAIR_ID.test(pairId))
    return sendError(400, 'invalid_query', 'pair must be the id of a trade pair.');
  // A browser that connects again names the last message that it got.
  const last = request.headers.get('last-event-id') ?? '';
  const since = TIME.test(last) ? String(Number(last) + 1) : (query.get('since') ?? undefined);
  if (since !== undefined && !TIME.test(since))
    return sendError(400, 'invalid_query', 'since must be a time in milliseconds.');
  const encoder = new TextEncoder();
  let close = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if ((controller.desiredSize ?? 0) < -UNREAD_MAX) close();
        else controller.enqueue(encoder.encode(text));
      };
      const leave = live.join(
        session.id,
        {
          restUrl: config.REST_URL,
          graphqlUrl: config.GRAPHQL_URL,
          privateKey: session.privateKey,
          address: request.headers.get(ADDRESS_HEADER) ?? '',
        },
        {
          pairId,
          since: since === undefined ? undefined : Number(since),
          close: () => close(),
          send: (message) => {
            const { kind, data } = message;
            // A tab that does not read gets the next message when it does.
            if (kind === 'book' && (controller.desiredSize ?? 0) <= 0) return;
            const id = kind === 'book' ? '' : `id: ${message.id}\n`;
            write(`${id}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
          },
        },
      );
      const pings = setInterval(() => write(': ping\n\n'), PING_MS);
      close = () => {
        clearInterval(pings);
        leave?.();
        request.signal.removeEventListener('abort', close);
        stopping.removeEventListener('abort', close);
        close = () => {};
        try {
          controller.close();
        } catch {
          // The tab closed the stream already.
        }
      };
      request.signal.addEventListener('abort', close);
      stopping.addEventListener('abort', close);
      write('retry: 2000\n\n');
      // A tab that left while its session was opened sends no event any more.
      if (leave === undefined || request.signal.aborted || stopping.aborted) close();
    },
    cancel: () => close(),
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
});
