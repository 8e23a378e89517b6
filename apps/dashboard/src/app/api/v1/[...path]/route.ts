import { dashboardRuntime } from '../../../../process/runtime';
import { apiPathOf } from '../../../../server/api-path';
import { sendError } from '../../../../server/responses';
import { sameOrigin } from '../../../../server/same-origin';
import { forward } from '../../../../server/upstream';

const handle = sameOrigin(async (request: Request) => {
  const path = apiPathOf(request.url);
  return path === undefined
    ? sendError(404, 'route_not_found', 'There is no such path of the API.')
    : forward(request, dashboardRuntime().config.REST_URL, path);
});

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
