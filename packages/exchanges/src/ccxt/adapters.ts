/** All adapters, by the ccxt id of the exchange whose wire format they use. */
import type { Adapter } from './adapter.js';
import { binance } from './binance/binance.js';

export const ADAPTERS: ReadonlyMap<string, Adapter> = new Map([['binance', binance]]);

export function adapterOf(id: string): Adapter | undefined {
  return ADAPTERS.get(id);
}
