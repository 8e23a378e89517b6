import { setTimeout as delay } from 'node:timers/promises';
import { hostProblem } from '@trading-automation/runtime/request-target';
import type { FastifyError, FastifyInstance } from 'fastify';
import { VENUE_ERRORS, VenueError } from '../errors.js';
import type { Weather } from '../weather/weather.js';
import { type RateLimits, weightOf } from './limits.js';
import { readParams } from './params.js';

/** A POST to these routes places new orders, which have their own fault rates. */
const NEW_ORDERS: ReadonlySet<string> = new Set([
  '/api/v3/order',
  '/api/v3/order/cancelReplace',
  '/api/v3/order/oco',
  '/api/v3/orderList/oco',
  '/sapi/v1/margin/order',
  '/fapi/v1/order',
  '/fapi/v1/batchOrders',
  '/fapi/v1/algoOrder',
]);

/**
 * Adds a hook that runs before every venue route. It applies the latency and the errors of the weather, and charges
 * the request weight.
 */
export function addVenueHooks(app: FastifyInstance, weather: Weather, limits: RateLimits): void {
  app.addHook('onRequest', async (req, reply) => {
    const { latency_ms: latencyMs } = weather.get();
    if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false });
    if (weather.get().maintenance) throw VENUE_ERRORS.maintenance();
    const url = req.routeOptions.url ?? '';
    const weight = weightOf(req.method, url, () => readParams(req).params);
    const used = limits.charge(req.ip, weight);
    reply.headers({ 'x-mbx-used-weight': used, 'x-mbx-used-weight-1m': used });
    if (weather.applies('rate_limit_rate')) {
      throw limits.simulatedLimitError(weather.appliesWith(weather.get().retry_after));
    }
    limits.assertWeightLeft(req.ip);
    const isNewOrder = req.method === 'POST' && NEW_ORDERS.has(url);
    if (!isNewOrder && weather.applies('call_error_rate')) throw VENUE_ERRORS.disconnected();
  });
}

/** Refuses a request whose Host header is missing, repeated or malformed, or whose absolute target has a malformed host. */
export function refuseInvalidHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async (req, reply) => {
    const problem = hostProblem(req.raw, req.originalUrl);
    if (problem === undefined) return;
    reply.header('connection', 'close');
    throw VENUE_ERRORS.invalidHost(problem);
  });
}

/** Refuses a route that the venue has, or not, but the paper exchange does not simulate. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw VENUE_ERRORS.unsupported(404);
  });
}

/** Sends every error in the venue's format. An unexpected error is sent as `disconnected`, without its own message. */
export function setVenueErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>((error, _req, reply) => {
    const venueError = error instanceof VenueError ? error : toVenueError(error);
    if (venueError.retryAfterSeconds !== undefined) reply.header('retry-after', venueError.retryAfterSeconds);
    return reply.code(venueError.status).send(errorView(venueError));
  });
}

/** Returns the body of an error response. */
export function errorView({ code, message, data }: VenueError): object {
  return { code, msg: message, ...(data === undefined ? {} : { data }) };
}

/** Fastify's 4xx errors (such as an unreadable body) describe only the request, so their text may be sent. */
function toVenueError(error: FastifyError): VenueError {
  const { statusCode = 500 } = error;
  return statusCode < 500 ? new VenueError(-1102, error.message, statusCode) : VENUE_ERRORS.disconnected();
}
