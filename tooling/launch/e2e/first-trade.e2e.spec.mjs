import { Webhook } from 'standardwebhooks';
import { runFirstTrade } from '../first-trade/scenario.mjs';
import { startProduct } from './product.mjs';

/** @type {import('./product.mjs').Product} */
let product;
beforeAll(async () => {
  product = await startProduct();
}, 120_000);
afterAll(() => product?.stop());

describe('the first trade, through the published interface and across real processes', () => {
  it('goes from a key pair to a filled trade, a cancelled one and verified webhooks', async () => {
    const steps = [];
    const trade = await runFirstTrade({
      restUrl: product.restUrl,
      paperExchangeUrl: product.paperExchangeUrl,
      step: (name) => steps.push(name),
    });

    expect(steps.at(-1)).toBe('webhooks received and verified');
    expect(trade.synced.balance).toMatchObject({ USDT: 100_000, BTC: 1 });
    expect(trade.limit).toMatchObject({ status: 'PENDING', type: 'LIMIT', price: 10_000, amount: 0.001 });
    expect(trade.filled).toMatchObject({ status: 'FILLED', filled_amount: 0.01, remaining_amount: 0 });
    const fills = trade.filled.fills.reduce((sum, { amount }) => sum + amount, 0);
    expect(fills).toBeCloseTo(0.01, 10);
    expect(trade.filled.fee).toMatchObject({ currency: 'BTC' });
    expect(trade.resting).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    expect(trade.cancelled).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER', filled_amount: 0 });
    expect(trade.deliveries.every(({ isGenuine }) => isGenuine)).toBe(true);

    const page = await trade.trader.get(`/v1/webhooks/${trade.webhook.id}/deliveries?limit=100`);
    expect(page.every(({ status, status_code }) => status === 'SUCCEEDED' && status_code === 204)).toBe(true);
    expect(() => new Webhook(trade.webhook.secret)).not.toThrow();
  }, 120_000);
});
