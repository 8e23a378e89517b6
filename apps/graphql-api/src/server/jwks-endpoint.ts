import { toDomainError } from '@trading-automation/core';
import { addressOf, errorResponse, sendResponse } from '@trading-automation/runtime/http';
import type { FastifyInstance } from 'fastify';
import type { RequestAuthenticator } from './request-authenticator.js';

const PATH = '/.well-known/jwks.json';
/** Caches may keep the keys for 5 minutes. A new key is published more than 5 minutes before its first use. */
const CACHE_CONTROL = 'public, max-age=300';

/** Serves the public keys that verify access tokens (RFC 7517) to every caller. */
export function serveJwks(server: FastifyInstance, authenticator: RequestAuthenticator): void {
  server.get(PATH, async (request, reply) => {
    try {
      const limits = authenticator.limitsOf(addressOf(request));
      limits.assertAddressNotLimited();
      await limits.takeTokensByAddress();
      const body = JSON.stringify(await authenticator.publicKeys());
      sendResponse(reply, { status: 200, headers: { 'cache-control': CACHE_CONTROL }, body });
    } catch (error) {
      sendResponse(reply, errorResponse(toDomainError(error), request.id));
    }
    return reply;
  });
}
