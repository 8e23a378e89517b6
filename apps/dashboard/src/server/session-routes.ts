/** The shape of every route that signs in or out. */
import { ApiError } from '@trading-automation/sdk';
import { dashboardRuntime } from '../process/runtime';
import { sendData, sendError } from './responses';
import { sameOrigin } from './same-origin';

type Result = { readonly data: object; readonly cookies: readonly string[] } | Response;

/** Wraps a route: checks the origin, passes on errors of the API, and sets the cookies. */
export function sessionRoute(act: (request: Request) => Promise<Result>) {
  return sameOrigin(async (request: Request) => {
    try {
      const result = await act(request);
      return result instanceof Response ? result : sendData(result.data, result.cookies);
    } catch (error) {
      if (error instanceof ApiError) return passOn(error);
      dashboardRuntime().logger.warn({ event: 'upstream.failed', err: error }, 'The API did not respond.');
      return sendError(503, 'service_unavailable', 'The API does not respond. Try again in a few seconds.');
    }
  });
}

/** Sends an error of the API to the page. */
function passOn({ status, code, summary, details, requestId, headers }: ApiError): Response {
  const error = { code, message: summary, details, request_id: requestId };
  const response = Response.json(
    { success: false, error },
    { status, headers: { 'cache-control': 'no-store' } },
  );
  for (const name of ['retry-after', 'x-request-id']) {
    const value = headers.get(name);
    if (value !== null) response.headers.set(name, value);
  }
  return response;
}

/** Returns a string member of the body; undefined if the body is not JSON or has no such member. */
export async function stringIn(request: Request, name: string): Promise<string | undefined> {
  const body = Object(await request.json().catch(() => undefined));
  return typeof body[name] === 'string' && body[name] !== '' ? body[name] : undefined;
}
