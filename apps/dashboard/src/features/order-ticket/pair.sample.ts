import type { Pair } from './order.rules';

/** A pair for specs. */
export function samplePair(changes: Partial<Pair> = {}): Pair {
  return {
    id: 'tpr_1',
    exchange: 'paper',
    symbol: 'BTC/USDT',
    exchange_symbol: 'BTCUSDT',
    base: 'BTC',
    quote: 'USDT',
    trading_type: 'spot',
    price_tick: '0.01',
    amount_step: '0.0001',
    min_amount: '0.001',
    max_amount: '100',
    min_notional: '10',
    maker_fee: '0.001',
    taker_fee: '0.002',
    order_types: ['MARKET', 'LIMIT', 'STOP_LIMIT', 'STOP_MARKET'],
    time_in_forces: ['GTC', 'IOC', 'POST_ONLY'],
    is_active: true,
    rules_updated_at: '2026-01-01T00:00:00Z',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...changes,
  };
}
