import { sendError } from '../../../../server/responses';
import { sessionRoute, stringIn } from '../../../../server/session-routes';
import { openByApiKey } from '../../../../server/sign-in';

export const POST = sessionRoute(async (request) => {
  const apiKey = (await stringIn(request, 'api_key'))?.trim();
  if (apiKey === undefined || !/^svc_(live|test)_[\x21-\x7e]{1,200}$/.test(apiKey))
    return sendError(
      422,
      'validation_failed',
      'This is not an API key. It begins with svc_live_ or svc_test_.',
    );
  return { data: {}, cookies: await openByApiKey(request, apiKey) };
});
