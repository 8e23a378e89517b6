import { openBinance } from './clients/binance.mjs';
import { openBinanceApiNode } from './clients/binance-api-node.mjs';
import { openBinanceSpot } from './clients/binance-spot.mjs';
import { openCcxt } from './clients/ccxt.mjs';
import { openNodeBinanceApi } from './clients/node-binance-api.mjs';

/**
 * A third-party client, connected to a paper exchange. `methods` contains what it can call, by the operation of the venue;
 * each call rejects if the exchange refuses it.
 *
 * @typedef {{ readonly url: string, readonly api_key: string, readonly api_secret: string }} Target
 * @typedef {{
 *   watchOrders(onOrder: (clientOrderId: string, status: string) => void): Promise<void>,
 *   placeLimit(order: { id: string, price: number, quantity: number }): Promise<unknown>,
 *   placeMarket(order: { id: string, quantity: number }): Promise<unknown>,
 *   statusOf(clientOrderId: string): Promise<string>,
 *   cancel(clientOrderId: string): Promise<unknown>,
 *   readonly methods: Readonly<Record<string, () => Promise<unknown>>>,
 *   close(): Promise<void>,
 * }} Client
 * @typedef {(target: Target) => Promise<Client>} OpenClient
 */

/** The clients by their name in the table. @type {Readonly<Record<string, OpenClient>>} */
export const CLIENTS = {
  'ccxt and ccxt.pro': openCcxt,
  '@binance/spot': openBinanceSpot,
  binance: openBinance,
  'node-binance-api': openNodeBinanceApi,
  'binance-api-node': openBinanceApiNode,
};
