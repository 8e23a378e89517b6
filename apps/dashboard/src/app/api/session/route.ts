import { sessionRoute } from '../../../server/session-routes';
import { closeSession } from '../../../server/sign-in';

export const DELETE = sessionRoute(async (request) => ({ data: {}, cookies: await closeSession(request) }));
