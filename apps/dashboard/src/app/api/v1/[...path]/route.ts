import { dashboardRuntime } from '../../../../process/runtime';
import { sameOrigin } from '../../../../server/same-origin';
import { forward } from '../../../../server/upstream';

const handle = sameOrigin(async (request: Request) => {
  const { pathname, search } = new URL(request.url);
  return forward(request, dashboardRuntime().config.REST_URL, pathname.slice('/api'.length) + search);
});

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
