import { readPendingSignIn } from '../../../../../server/session';
import { sessionRoute } from '../../../../../server/session-routes';
import { continueByCode } from '../../../../../server/sign-in';

export const POST = sessionRoute(async (request) => {
  const pending = await readPendingSignIn(request);
  if (pending === undefined) return { data: { state: 'EXPIRED' }, cookies: [] };
  return continueByCode(request, pending);
});
