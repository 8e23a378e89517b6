import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

interface Ledger {
  readonly balances: Record<string, { free: string }>;
  readonly futures_balances: Record<string, { wallet: string }>;
  readonly orders: readonly { type: string; time_in_force: string; price: string }[];
  readonly fills: readonly { price: string; amount: string; fee: string; fee_asset: string }[];
}

describe('the controls of the admin calls', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    keys = await open({ USDT: '10000' });
    await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: '50000' });
    await venue.admin('POST', 'market', { symbol: 'SOL/USDT', price: '200' });
  });
  afterEach(() => venue.stop());

  const open = async (balances: object) => (await venue.admin<Keys>('POST', 'accounts', { balances })).body;
  const ledger = async (): Promise<Ledger> =>
    (await venue.admin<Ledger>('GET', `ledger?api_key=${keys.api_key}`)).body;
  const order = (terms: Record<string, string>) =>
    venue.call('POST', '/api/v3/order', { symbol: 'BTCUSDT', ...terms }, keys);
  const buy = (quantity: string) => order({ side: 'BUY', type: 'MARKET', quantity });

  it('a deposit adds to the free balance and survives a restart', async () => {
    const deposit = { api_key: keys.api_key, asset: 'USDT', amount: '12.5' };
    expect(await venue.admin('POST', 'deposits', deposit)).toMatchObject({
      status: 200,
      body: { asset: 'USDT', free: '10012.5' },
    });
    await venue.restart();
    expect((await ledger()).balances.USDT).toMatchObject({ free: '10012.5' });
  });

  it('a deposit into the futures wallet survives a restart, and takes the settlement asset alone', async () => {
    const deposit = { api_key: keys.api_key, asset: 'USDT', amount: '12.5', wallet: 'futures' };
    await venue.admin('POST', 'deposits', deposit);
    expect(await venue.admin('POST', 'deposits', deposit)).toMatchObject({
      status: 200,
      body: { asset: 'USDT', wallet: '25' },
    });
    expect((await venue.admin('POST', 'deposits', { ...deposit, asset: 'BTC' })).status).toBe(400);
    await venue.restart();
    const { balances, futures_balances } = await ledger();
    expect(futures_balances.USDT).toMatchObject({ wallet: '25' });
    expect(balances.USDT).toMatchObject({ free: '10000' });
  });

  it('orders trade with exactly the levels of the given book', async () => {
    const book = {
      symbol: 'BTC/USDT',
      bids: [['49990', '1']],
      asks: [
        ['50010', '0.001'],
        ['50020', '0.002'],
      ],
    };
    expect((await venue.admin('PUT', 'book', book)).status).toBe(200);
    await order({ side: 'BUY', type: 'LIMIT', timeInForce: 'IOC', quantity: '0.01', price: '50020' });
    const { fills, orders } = await ledger();
    expect(fills.map(({ price, amount }) => [price, amount])).toEqual([
      ['50010', '0.001'],
      ['50020', '0.002'],
    ]);
    expect(orders).toMatchObject([{ type: 'LIMIT', time_in_force: 'IOC', price: '50020' }]);
  });

  it('a book whose best bid is not below its best ask is refused', async () => {
    const book = {
      symbol: 'BTC/USDT',
      bids: [
        ['49990', '1'],
        ['50010', '1'],
      ],
      asks: [['50010', '1']],
    };
    expect(await venue.admin('PUT', 'book', book)).toMatchObject({ status: 400, body: { code: -1100 } });
  });

  it('fees are paid in the fee asset at its last price, and in the received asset if too little of it is free', async () => {
    await venue.admin('POST', 'deposits', { api_key: keys.api_key, asset: 'SOL', amount: '0.001' });
    expect((await venue.admin('PUT', 'fees', { api_key: keys.api_key, asset: 'SOL' })).status).toBe(200);
    await buy('0.002');
    await buy('0.1');
    await venue.admin('PUT', 'fees', { api_key: keys.api_key, asset: null });
    await buy('0.002');
    const { fills, balances } = await ledger();
    expect(fills.map(({ fee_asset }) => fee_asset)).toEqual(['SOL', 'BTC', 'BTC']);
    // 0.1 % of 0.002 × 50,005 is 0.10001 USDT: 0.00050005 SOL.
    expect(fills[0]).toMatchObject({ price: '50005', fee: '0.00050005' });
    expect(balances.SOL).toMatchObject({ free: '0.00049995' });
  });

  it('fees in the quote asset leave the bought amount whole', async () => {
    await venue.admin('PUT', 'fees', { api_key: keys.api_key, asset: 'USDT' });
    await buy('0.1');
    const { fills, balances } = await ledger();
    expect(fills).toMatchObject([{ fee: '5.0005', fee_asset: 'USDT' }]);
    expect(balances).toMatchObject({ BTC: { free: '0.1' } });
  });
});
