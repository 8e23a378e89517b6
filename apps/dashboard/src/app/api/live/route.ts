import { ADDRESS_HEADER, dashboardRuntime } from '../../../process/runtime';
import { sendError } from '../../../server/responses';
import { sameOrigin } from '../../../server/same-origin';
import { readSession } from '../../../server/session';

const PING_MS = 15_000;
/** A tab that leaves so many messages unread is gone. */
const UNREAD_MAX = 256;
const PAIR_ID = /^tpr_[0-9a-z]{26}$/;

/** Streams live data to a tab: events, the book of `?pair=`, and whether the connection to the API is live. */
export const GET = sameOrigin(async (request: Request) => {
  const session = await readSession(request);
  if (session === undefined) return sendError(401, 'authentication_required', 'Sign in first.');
  const { config, live, stopping } = dashboardRuntime();
  const pairId = new URL(request.url).searchParams.get('pair') ?? undefined;
  if (pairId !== undefined && !PAIR_ID.test(pairId))
    return sendError(400, 'invalid_query', 'pair must be the id of a trade pair.');
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
          close: () => close(),
          send: ({ kind, data }) => {
            // A tab that does not read gets the next message when it does.
            if (kind === 'book' && (controller.desiredSize ?? 0) <= 0) return;
            write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
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
