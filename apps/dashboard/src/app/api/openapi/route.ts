import { dashboardRuntime } from '../../../process/runtime';
import { sendError } from '../../../server/responses';
import { sameOrigin } from '../../../server/same-origin';
import { readSession } from '../../../server/session';
import { forward } from '../../../server/upstream';

/** Returns the OpenAPI document of the REST API. It is public there; here it needs a session, like every page. */
export const GET = sameOrigin(async (request: Request) =>
  (await readSession(request)) === undefined
    ? sendError(401, 'authentication_required', 'Sign in to read the reference.')
    : forward(request, dashboardRuntime().config.REST_URL, '/openapi.json'),
);
