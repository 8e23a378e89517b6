import { sessionRoute } from '../../../../server/session-routes';
import { startByCode } from '../../../../server/sign-in';

export const POST = sessionRoute(startByCode);
