import { sessionRoute } from '../../../../server/session-routes';
import { prepareForAccount } from '../../../../server/sign-in';

export const POST = sessionRoute(prepareForAccount);
