import { dashboardRuntime } from '../../../process/runtime';
import { sameOrigin } from '../../../server/same-origin';
import { forward } from '../../../server/upstream';

export const POST = sameOrigin(async (request: Request) =>
  forward(request, dashboardRuntime().config.GRAPHQL_URL, '/graphql'),
);
