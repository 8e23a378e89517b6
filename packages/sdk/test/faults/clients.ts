/** Creates clients of the faulty API (./faulty-api.ts). */
import { createHash } from 'node:crypto';
import { type ClientOptions, resolveConnection } from '../../src/core/connection.js';
import { OperationClient } from '../../src/core/operation-client.js';
import { Transport } from '../../src/core/transport.js';
import { waitFor } from '../../src/core/wait.js';
import type { TradeCreate } from '../../src/generated/records.js';
import { Events } from '../../src/resources/events.js';
import { MeResource } from '../../src/resources/me.js';
import { Trades } from '../../src/resources/trades.js';
import { createSigner } from '../../src/signer/index.js';
import { API_KEY, type FaultyApi } from './faulty-api.js';

/** Derives a private key that is not secret and the same in every run. */
export const privateKeyOf = (label: string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(label).digest());

export const signer = createSigner(privateKeyOf('signer of the fault tests'));

/** An order, identified only by its client order id. */
export const order = (client_order_id: string): TradeCreate => ({
  exchange_account_id: 'exa_1',
  trade_pair_id: 'tpr_1',
  side: 'BUY',
  type: 'MARKET',
  amount: '1',
  client_order_id,
});

/** Returns the resources of a client. Waits between attempts are recorded and skipped. */
export function clientOf(api: FaultyApi, options: ClientOptions = {}) {
  const waits: number[] = [];
  const connection = resolveConnection({
    baseURL: api.origin,
    logLevel: 'off',
    ...(options.signer === undefined ? { apiKey: API_KEY } : {}),
    ...options,
  });
  const transport = new Transport(connection, {
    wait: (ms, signal) => {
      waits.push(ms);
      return waitFor(0, signal);
    },
    random: () => 0,
  });
  const operations = new OperationClient<'number'>(transport);
  return {
    waits,
    transport,
    trades: new Trades(operations),
    me: new MeResource(operations),
    events: new Events(operations),
  };
}
