import { toDomainError } from '@trading-automation/core';
import type { RequestLimits } from '@trading-automation/core/access';
import type { SessionsService } from '@trading-automation/core/sign-in';
import { addressOf, errorResponse, sendResponse } from '@trading-automation/runtime/http';
import type { FastifyInstance } from 'fastify';

const PATH = '/.well-known/jwks.json';
/** A key is shown for longer before it signs than an answer may be kept. */
const KEPT = 'public, max-age=300';

/** The public keys of access tokens, to anybody (RFC 7517). */
export function serveJwks(
  server: FastifyInstance,
  sessions: Pick<SessionsService, 'jwks'>,
  limitsOf: (address: string) => RequestLimits,
): void {
  server.get(PATH, async (request, reply) => {
    try {
      const limits = limitsOf(addressOf(request));
      limits.assertAddressAdmitted();
      await limits.takeByAddress();
      const body = JSON.stringify(await sessions.jwks());
      sendResponse(reply, { status: 200, headers: { 'cache-control': KEPT }, body });
    } catch (error) {
      sendResponse(reply, errorResponse(toDomainError(error), request.id));
    }
    return reply;
  });
}
