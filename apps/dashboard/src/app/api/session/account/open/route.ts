import { openForAccount } from '../../../../../server/new-account';
import { sendError } from '../../../../../server/responses';
import { readPendingSignIn } from '../../../../../server/session';
import { sessionRoute } from '../../../../../server/session-routes';

export const POST = sessionRoute(async (request) => {
  const pending = await readPendingSignIn(request);
  if (pending === undefined)
    return sendError(409, 'invalid_state', 'The sign-in took over 10 minutes. Start again.');
  return openForAccount(request, pending);
});
