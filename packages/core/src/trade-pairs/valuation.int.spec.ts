import type { Actor } from '../operations/index.js';

import { CoreUnderTest } from '../testing/index.js';
import { conversionPaths } from './conversion-paths.queries.js';
import { equitiesOf } from './valuation.queries.js';

let core: CoreUnderTest;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  actor = await core.actor();
  const prices = {
    'BTC/USDT': '60000',
    'ETH/USDT': '2500.5',
    'USDT/TRY': '40',
    'KNC/BTC': '0.00001',
    'KNC/ETH': '0.001',
    'WAX/BTC': '0.0000001',
    'UNPRICED/USDT': null,
  };
  for (const [symbol, last_price] of Object.entries(prices)) {
    const [base = '', quote = ''] = symbol.split('/');
    await core.pair({ base, quote, last_price });
  }
  await core.pair({ exchange: 'binance', last_price: '61000' });
});
afterAll(() => core.close());

/** Returns the equity of an account with these free balances. */
async function equityOf(
  free: Readonly<Record<string, string>> | null,
  quote = 'USDT',
  exchange = 'paper',
): Promise<string | null> {
  const { uuid } = await core.account(actor, free, { exchange });
  const equities = await equitiesOf(core.platform.database.manager, [uuid], quote);
  return equities.get(uuid)?.amount ?? null;
}

describe('the equity of an account', () => {
  it('is the value of its balances at the last prices of its own exchange', async () => {
    expect(await equityOf({ USDT: '100.5', BTC: '0.5', ETH: '2' })).toBe('35101.5');
    expect(await equityOf({ BTC: '0.5' }, 'USDT', 'binance')).toBe('30500');
    expect(await equityOf({})).toBe('0');
  });

  it('ignores replaced pairs, whose prices are outdated', async () => {
    const replaced = { exchange: 'renamer', symbol: 'AAA/BTC replaced', listed_symbol: 'AAA/BTC' };
    await core.pair({ ...replaced, base: 'AAA', quote: 'BTC', last_price: '9', is_active: false });
    await core.pair({ exchange: 'renamer', base: 'BTC', quote: 'USDT', last_price: '100' });
    const conversion = { exchange: 'renamer', from: 'AAA', to: 'USDT' };
    const paths = async () => [
      ...(await conversionPaths(core.platform.database.manager, [conversion])).values(),
    ];
    expect(await equityOf({ AAA: '1', USDT: '1' }, 'USDT', 'renamer')).toBeNull();
    expect(await paths()).toEqual([]);
    await core.pair({ exchange: 'renamer', base: 'AAA', quote: 'BTC', last_price: '2' });
    expect(await equityOf({ AAA: '1', USDT: '1' }, 'USDT', 'renamer')).toBe('201');
    expect(await paths()).toMatchObject([[[{ symbol: 'AAA/BTC' }, { symbol: 'BTC/USDT' }]]]);
  });

  it('includes amounts locked in orders', async () => {
    const { uuid } = await core.account(actor, { USDT: '1' });
    await core.rows(
      `UPDATE exchange_accounts SET balances = '{"USDT": {"free": "1", "locked": "2"}}' WHERE id = $1`,
      uuid,
    );
    const equities = await equitiesOf(core.platform.database.manager, [uuid], 'USDT');
    expect(equities.get(uuid)?.amount).toBe('3');
  });

  it('is less what a margin account owes', async () => {
    const { uuid } = await core.account(actor, { USDT: '7000' }, { tradingType: 'margin' });
    await core.rows(
      `UPDATE exchange_accounts SET loans = '{"BTC": {"borrowed": "0.1", "interest": "0.001"},
         "USDT": {"borrowed": "0", "interest": "1"}}' WHERE id = $1`,
      uuid,
    );
    const equities = await equitiesOf(core.platform.database.manager, [uuid], 'USDT');
    expect(equities.get(uuid)?.amount).toBe('939');
  });

  it('is computed with inverse pairs, and with a path through one other currency', async () => {
    expect(await equityOf({ TRY: '80' })).toBe('2');
    // The path is through BTC, which quotes two pairs, and not through ETH, although ETH gives a higher value.
    expect(await equityOf({ KNC: '10' })).toBe('6');
    expect(await equityOf({ BTC: '1' }, 'TRY')).toBe('2400000');
    expect(await equityOf({ USDT: '6' }, 'KNC')).toBe('10');
  });

  it('is unknown if balances were never read, or if a listed asset has no price', async () => {
    expect(await equityOf(null)).toBeNull();
    expect(await equityOf({ USDT: '5', UNPRICED: '1' })).toBeNull();
    expect(await equityOf({ USDT: '5', UNPRICED: '0' })).toBe('5');
  });

  it('counts unlisted assets as zero', async () => {
    expect(await equityOf({ USDT: '5', AIRDROP: '1000000' })).toBe('5');
  });

  it('is loaded for many accounts together, with the instant of their balances', async () => {
    const accounts = await Promise.all(['1', '2'].map((USDT) => core.account(actor, { USDT })));
    const unknown = '00000000-0000-7000-8000-000000000000';
    const equities = await equitiesOf(
      core.platform.database.manager,
      [...accounts.map(({ uuid }) => uuid), unknown],
      'USDT',
    );
    expect(accounts.map(({ uuid }) => equities.get(uuid)?.amount)).toEqual(['1', '2']);
    expect(equities.has(unknown)).toBe(false);
    expect(equities.get(accounts[0]!.uuid)?.takenAt).toBeInstanceOf(Date);
    expect(await equitiesOf(core.platform.database.manager, [], 'USDT')).toEqual(new Map());
  });
});
