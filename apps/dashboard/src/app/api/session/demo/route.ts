import { dashboardRuntime } from '../../../../process/runtime';
import { sendError } from '../../../../server/responses';
import { sessionRoute } from '../../../../server/session-routes';
import { openByApiKey } from '../../../../server/sign-in';

export const POST = sessionRoute(async (request) => {
  const { DEMO_API_KEY } = dashboardRuntime().config;
  if (DEMO_API_KEY === undefined) return sendError(404, 'not_found', 'There is no demo account here.');
  return { data: {}, cookies: await openByApiKey(request, DEMO_API_KEY) };
});
