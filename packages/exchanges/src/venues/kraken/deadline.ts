/** The time until which the exchange may process a new order. */
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { venueTime } from '../../ccxt/unified-balances.js';

type Params = Readonly<Record<string, unknown>>;

/** How long after it was signed the exchange may process an order. */
const DEADLINE_MS = 5_000;

/**
 * Gives new orders a deadline when they are signed, because they may wait for the call budget before.
 * @param path the endpoint of new orders
 * @param parameter the name of the deadline
 */
export function addDeadlines(client: CcxtClient, path: string, parameter: string): void {
  const sign = client.sign.bind(client);
  client.sign = (signed, api, method, params, ...others) => {
    if (signed !== path) return sign(signed, api, method, params, ...others);
    const until = new Date(venueTime(client).getTime() + DEADLINE_MS).toISOString();
    return sign(signed, api, method, { ...(params as Params), [parameter]: until }, ...others);
  };
}
