import { openBinance } from './clients/futures/binance.mjs';
import { openBinanceApiNode } from './clients/futures/binance-api-node.mjs';
import { openBinanceUsdsFutures } from './clients/futures/binance-usds-futures.mjs';
import { openCcxt } from './clients/futures/ccxt.mjs';
import { openNodeBinanceApi } from './clients/futures/node-binance-api.mjs';

/**
 * A third-party client that trades the contract BTCUSDT on a paper exchange. Each call uses the method of the client for
 * it and returns the same values for every client, so that all clients pass the same checks.
 *
 * @typedef {{ readonly id: string, readonly side: 'BUY' | 'SELL', readonly quantity: number }} Terms
 * @typedef {{
 *   onOrder(clientOrderId: string, status: string): void,
 *   onPosition(amount: number): void,
 * }} AccountListener
 * @typedef {{
 *   rules(): Promise<{ priceTick: number, amountStep: number, minNotional: number }>,
 *   balance(): Promise<number>,
 *   setLeverage(leverage: number): Promise<number>,
 *   placeMarket(order: Terms & { readonly reduceOnly?: boolean }): Promise<unknown>,
 *   placeLimit(order: Terms & { readonly price: number }): Promise<unknown>,
 *   statusOf(clientOrderId: string): Promise<string>,
 *   cancel(clientOrderId: string): Promise<unknown>,
 *   openOrders(): Promise<readonly string[]>,
 *   fills(): Promise<readonly { price: number, quantity: number, fee: number }[]>,
 *   position(): Promise<{ amount: number, entryPrice: number }>,
 *   marks(): Promise<{ markPrice: number, fundingRate: number }>,
 *   watchAccount(listener: AccountListener): Promise<void>,
 *   watchLastPrice(): Promise<number>,
 *   watchMarkPrice(): Promise<number>,
 *   readonly errorNames?: Readonly<Record<number, string>>,
 *   readonly notes?: readonly { readonly checks: readonly string[], readonly text: string }[],
 *   close(): Promise<void>,
 * }} FuturesClient
 * `errorNames` are the classes of errors of a client that translates the venue's codes. `notes` say what is to be known about
 * results of checks.
 *
 * @typedef {(target: import('./client.mjs').Target) => Promise<FuturesClient>} OpenFuturesClient
 */

/** The clients by their name in the table. @type {Readonly<Record<string, OpenFuturesClient>>} */
export const FUTURES_CLIENTS = {
  'ccxt and ccxt.pro': openCcxt,
  '@binance/derivatives-trading-usds-futures': openBinanceUsdsFutures,
  binance: openBinance,
  'node-binance-api': openNodeBinanceApi,
  'binance-api-node': openBinanceApiNode,
};
