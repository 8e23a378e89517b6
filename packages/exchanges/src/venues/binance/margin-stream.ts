/**
 * The account stream of cross margin, which a token opens on the WebSocket API of spot:
 * https://developers.binance.com/docs/margin_trading/trade-data-stream
 */
import { z } from 'zod';
import { callEndpoint } from '../../ccxt/ccxt-client.js';
import type { AccountEvent, OwnStreamProtocol, StreamReport } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { userDataStream } from './user-data-stream.js';

const tokenResponse = z.object({ token: z.string().min(1) });

export const marginAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 2,
  plan: async ({ ccxt }) => {
    // A token needs no signature, so this call checks the secret.
    await callEndpoint(ccxt, 'sapiGetAccountApiRestrictions', {});
    const { token } = parseResponse(tokenResponse, await callEndpoint(ccxt, 'sapiPostUserListenToken', {}));
    const params = { listenToken: token };
    return {
      url: ccxt.urls.api.ws['ws-api'].spot,
      steps: [{ id: '1', method: 'userDataStream.subscribe.listenToken', params }],
    };
  },
  responseOf: (message) => {
    const routed = userDataStream.routeMessage(message);
    if (routed?.to !== 'request') return undefined;
    return 'rejection' in routed
      ? { isAccepted: false, status: routed.status, rejection: routed.rejection }
      : { isAccepted: true };
  },
  // The exchange ends the stream when the token expires, after 24 hours at most.
  open: ({ ccxt }) => ({
    read: (message) => {
      const routed = userDataStream.routeMessage(message);
      const event = routed?.to === 'stream' ? userDataStream.read(ccxt, routed.event) : undefined;
      return event === undefined ? [] : reportsOf(event);
    },
  }),
};

function reportsOf(event: AccountEvent): readonly StreamReport[] {
  if (event.kind !== 'order') return [event];
  const fills = event.fills.map((fill) => ({ kind: 'fill', fill }) as const);
  return [...fills, { kind: 'order', order: event.order }];
}
