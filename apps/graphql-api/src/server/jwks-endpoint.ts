import { toRefusal } from '@trading-automation/core';
import type { RequestLimits } from '@trading-automation/core/access';
import type { Sessions } from '@trading-automation/core/sign-in';
import { addressOf, errorAnswer, sendAnswer } from '@trading-automation/runtime/http';
import type { FastifyInstance } from 'fastify';

const PATH = '/.well-known/jwks.json';
/** A key is shown for longer before it signs than an answer may be kept. */
const KEPT = 'public, max-age=300';

/** The public keys of access tokens, to anybody (RFC 7517). */
export function serveJwks(
  server: FastifyInstance,
  sessions: Pick<Sessions, 'jwks'>,
  limitsOf: (address: string) => RequestLimits,
): void {
  server.get(PATH, async (request, reply) => {
    try {
      const limits = limitsOf(addressOf(request));
      limits.assertAddressAdmitted();
      await limits.takeByAddress();
      const body = JSON.stringify(await sessions.jwks());
      sendAnswer(reply, { status: 200, headers: { 'cache-control': KEPT }, body });
    } catch (error) {
      sendAnswer(reply, errorAnswer(toRefusal(error), request.id));
    }
    return reply;
  });
}
