import type { ReconcileAction } from '@trading-automation/core/trades';
import type { ExchangeClient, VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { createLogger } from '@trading-automation/runtime';
import type { OrderReconciler } from '../exchange/order-reconciler.js';
import { ReconcileActions } from './reconcile-actions.js';

const positions = { complete: async () => undefined };
const interest = { readNow: async () => undefined };
const actions = new ReconcileActions(
  {} as OrderReconciler,
  positions,
  interest,
  createLogger('spec', 'silent'),
);
/** An exchange that has no order of the fills. */
const client = { findOrderByExchangeId: async () => null } as unknown as ExchangeClient;
const fill: VenueFill = {
  exchangeFillId: 'fill',
  exchangeOrderId: 'order',
  symbol: 'BTC/USDT:USDT',
  side: 'SELL',
  price: '100',
  amount: '1',
  fee: { amount: '0', currency: 'USDT' },
  liquidity: 'TAKER',
  executedAt: new Date(0),
};
const identify = (more: Partial<VenueFill>): ReconcileAction<VenueOrder, VenueFill> => ({
  kind: 'identify',
  symbol: fill.symbol,
  exchangeOrderId: fill.exchangeOrderId,
  fills: [{ ...fill, ...more }],
});

describe('fills whose order the exchange does not find', () => {
  it('are kept if the exchange itself changed the position', async () => {
    const settled = identify({ cause: 'SETTLEMENT' });
    expect(await actions.resolve(client, [settled])).toEqual([settled]);
  });

  it('are left to the next comparison otherwise', async () => {
    expect(await actions.resolve(client, [identify({})])).toEqual([]);
  });
});
