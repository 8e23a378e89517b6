import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../engine/order.js';
import { VENUE_ERRORS } from '../errors.js';
import { authenticate, authenticateKey } from './auth.js';
import { type Call, NO_RESPONSE, type Operation, type VenueContext } from './operation.js';
import { readParams } from './params.js';
import { addVenueHooks } from './venue-hooks.js';

/** What answers requests of any product of the venue. */
export type RestContext = Pick<VenueContext, 'exchange' | 'weather' | 'limits'>;

/** Serves the operations over REST: https://developers.binance.com/docs/binance-spot-api-docs/rest-api. */
export function registerRest(
  app: FastifyInstance,
  operations: readonly Operation[],
  context: RestContext,
): void {
  addVenueHooks(app, context.weather, context.limits);
  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: operation.path,
      handler: async (req, reply) => respond(operation, context, req, reply),
    });
  }
}

function respond(
  operation: Operation,
  context: RestContext,
  req: FastifyRequest,
  reply: FastifyReply,
): unknown {
  assertTimeUnit(req);
  const received = readParams(req);
  const call: Call = {
    params: received.params,
    account: callerOf(operation, context, req, received),
  };
  const result = operation.handle(call);
  if (result === NO_RESPONSE) return reply.hijack();
  const { orderCounts } = call;
  if (orderCounts !== undefined) {
    const { in10s, inDay, inMinute } = orderCounts;
    const long =
      inDay === undefined ? { 'x-mbx-order-count-1m': inMinute } : { 'x-mbx-order-count-1d': inDay };
    reply.headers({ 'x-mbx-order-count-10s': in10s, ...long });
  }
  return result;
}

function callerOf(
  { access }: Operation,
  { exchange: { state }, weather }: RestContext,
  req: FastifyRequest,
  received: ReturnType<typeof readParams>,
): Account | undefined {
  if (access === 'PUBLIC') return undefined;
  const header = req.headers['x-mbx-apikey'];
  const apiKey = Array.isArray(header) ? header[0] : header;
  return access === 'KEY' && !received.params.has('signature')
    ? authenticateKey(state, apiKey)
    : authenticate(state, { ...received, apiKey }, weather.venueTime());
}

/** All times are in milliseconds. A request for another unit must not get them in silence. */
function assertTimeUnit(req: FastifyRequest): void {
  const unit = req.headers['x-mbx-time-unit'];
  if (unit === undefined) return;
  if (unit === 'MICROSECOND' || unit === 'microsecond') throw VENUE_ERRORS.unsupported();
  if (unit !== 'MILLISECOND' && unit !== 'millisecond') throw VENUE_ERRORS.invalidTimeUnit();
}
