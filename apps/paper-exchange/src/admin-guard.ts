import { timingSafeEqual } from 'node:crypto';
import { requestedHost } from '@trading-automation/runtime/request-target';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { VenueError } from './errors.js';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Protects every route of `scope`, in whatever spelling the router matched it. A call needs the token, or must come from
 * a program on this machine.
 */
export function guardAdmin(scope: FastifyInstance, token: string | undefined): void {
  scope.addHook('onRequest', async (req) => {
    if (isLocalProgram(req) || hasToken(req, token)) return;
    throw new VenueError(
      -2015,
      'Invalid admin token. Send the ADMIN_TOKEN of the exchange as a bearer token.',
      401,
    );
  });
}

/**
 * A web page in a browser on this machine also reaches loopback. A browser sends an Origin header with its cross-origin
 * calls. After DNS rebinding there is no Origin, but the host of the request is still the name of the page's own host.
 */
function isLocalProgram({ socket, headers, raw, originalUrl }: FastifyRequest): boolean {
  return (
    LOOPBACK.has(socket.remoteAddress ?? '') &&
    headers.origin === undefined &&
    LOOPBACK_HOST.test(requestedHost(raw, originalUrl) ?? '')
  );
}

function hasToken(req: FastifyRequest, token: string | undefined): boolean {
  const sent = Buffer.from(req.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token ?? ''}`);
  return token !== undefined && sent.length === expected.length && timingSafeEqual(sent, expected);
}
