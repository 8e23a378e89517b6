/** Refuses requests that a page of another origin caused. */
import { dashboardRuntime } from '../process/runtime';
import { sendError } from './responses';

/**
 * Returns the refusal of a request from another origin; undefined for one of this dashboard's pages. A request that
 * changes something must name its origin; a request that reads may come from a browser that sends no metadata.
 */
function refusalOfOrigin(request: Request): Response | undefined {
  const { origin } = new URL(dashboardRuntime().config.PUBLIC_URL);
  const site = request.headers.get('sec-fetch-site');
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const named = request.headers.get('origin');
  const isSame =
    (named === origin || (named === null && isSafe)) && (site === null || site === 'same-origin');
  return isSame
    ? undefined
    : sendError(403, 'permission_denied', 'The request does not come from a page of the dashboard.');
}

type Handler<Context> = (request: Request, context: Context) => Promise<Response>;

/** Wraps a route handler, so that only pages of this dashboard reach it. */
export function sameOrigin<Context>(handler: Handler<Context>): Handler<Context> {
  return async (request, context) => refusalOfOrigin(request) ?? (await handler(request, context));
}
