import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyError, FastifyInstance } from 'fastify';
import { VENUE_ERRORS, VenueError } from '../errors.js';
import type { Weather } from '../weather/weather.js';
import { type RateLimits, weightOf } from './limits.js';
import { readParams } from './params.js';

/** The route that has chances of its own. */
export const NEW_ORDER = '/api/v3/order';

/** What every call of the venue's routes meets first: the weather's latency and refusals, its weight against the limit. */
export function addVenueHooks(app: FastifyInstance, weather: Weather, limits: RateLimits): void {
  app.addHook('onRequest', async (req, reply) => {
    const { latency_ms: latencyMs } = weather.get();
    if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false });
    if (weather.get().maintenance) throw VENUE_ERRORS.maintenance();
    const url = req.routeOptions.url ?? '';
    const weight = weightOf(req.method, url, () => readParams(req).params);
    const used = limits.charge(req.ip, weight);
    reply.headers({ 'x-mbx-used-weight': used, 'x-mbx-used-weight-1m': used });
    if (weather.strikes('rate_limit_rate')) {
      throw limits.simulatedLimitError(weather.draws(weather.get().retry_after));
    }
    limits.assertWeightLeft(req.ip);
    const isNewOrder = req.method === 'POST' && url === NEW_ORDER;
    if (!isNewOrder && weather.strikes('call_error_rate')) throw VENUE_ERRORS.disconnected();
  });
}

/** Every refusal in the venue's own form; what is no refusal is a fault of ours, told without its text. */
export function setVenueErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>((error, _req, reply) => {
    const refusal = error instanceof VenueError ? error : toVenueError(error);
    if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
    return reply.code(refusal.status).send({ code: refusal.code, msg: refusal.message });
  });
}

/** The server's own refusals (a body that can't be read) speak of the request alone, so their text may be told. */
function toVenueError(error: FastifyError): VenueError {
  const { statusCode = 500 } = error;
  return statusCode < 500 ? new VenueError(-1102, error.message, statusCode) : VENUE_ERRORS.disconnected();
}
