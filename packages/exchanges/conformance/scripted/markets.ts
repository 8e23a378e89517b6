/** The markets of the scripted exchange. */
import type { ScriptedMarket } from './model.js';

const COMMON = {
  tick: '0.01',
  step: '0.00001',
  minAmount: '0.00001',
  maxAmount: '9000',
  marketMaxAmount: '9000',
  minNotional: '10',
  contractSize: '1',
  maxLeverage: '100',
  maintenanceRate: '0.005',
};

/** The pairs that the conformance suite trades, with the fees and other rules of a venue. */
export function markets(
  kind: ScriptedMarket['kind'],
  rules: Partial<Omit<ScriptedMarket, 'symbol' | 'base' | 'quote' | 'kind'>>,
): readonly ScriptedMarket[] {
  return ['BTC', 'ETH'].map((base) => ({
    ...COMMON,
    makerFee: '0.001',
    takerFee: '0.001',
    ...rules,
    kind,
    base,
    quote: 'USDT',
    symbol: kind === 'SPOT' ? `${base}/USDT` : `${base}/USDT:USDT`,
  }));
}
