import { encodeId, tradePair } from '@trading-automation/contracts';
import type { Market } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { PairCatalogue } from './pair-catalogue.service.js';
import { TradePairsService } from './trade-pairs.service.js';

let core: CoreUnderTest;
let catalogue: PairCatalogue;
let pairs: TradePairsService;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  catalogue = new PairCatalogue(core.platform);
  pairs = new TradePairsService(core.platform, core.lists);
});
afterAll(() => core.close());
beforeEach(() => core.rows('TRUNCATE trade_pairs CASCADE'));

const marketOf = (base: string, overrides: Partial<Market> = {}): Market => ({
  symbol: `${base}/USDT`,
  exchangeSymbol: `${base}USDT`,
  base,
  quote: 'USDT',
  tradingType: 'spot',
  priceTick: '0.01',
  amountStep: '0.000000000000000001',
  minAmount: '0.001',
  minNotional: '5',
  orderTypes: ['LIMIT', 'MARKET'],
  timeInForces: ['GTC', 'IOC'],
  isActive: true,
  ...overrides,
});
interface StoredPair {
  readonly id: string;
  readonly is_active: boolean;
  readonly last_price: string | null;
  readonly updated_at: string;
  readonly rules_updated_at: string;
}
const storedPair = async (symbol: string, exchange = 'paper') =>
  (await core.row(
    `SELECT id, is_active, last_price, updated_at::text, rules_updated_at::text FROM trade_pairs
     WHERE symbol = $1 AND exchange = $2`,
    symbol,
    exchange,
  )) as unknown as StoredPair;

describe('the pairs of an exchange', () => {
  it('are stored with every digit of their rules', async () => {
    const rules = {
      exchangeSymbol: 'BTCUSDT',
      settle: 'USDT',
      maxAmount: '9000',
      maxNotional: '1000000',
      marketAmountStep: '0.001',
      marketMaxAmount: '90',
      contractSize: '1',
      makerFee: '0.0001',
      takerFee: '0.000000000000000001',
      orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT'],
      timeInForces: ['GTC', 'IOC', 'FOK'],
    } as const;
    await catalogue.storeMarkets('paper', [marketOf('BTC', rules)]);
    const { id } = await storedPair('BTC/USDT');
    const shown = await pairs.get(await core.actor('READ'), encodeId('tpr', id));
    expect(tradePair.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({
      exchange: 'paper',
      symbol: 'BTC/USDT',
      exchange_symbol: 'BTCUSDT',
      settle: 'USDT',
      price_tick: '0.01',
      amount_step: '0.000000000000000001',
      min_amount: '0.001',
      max_amount: '9000',
      min_notional: '5',
      max_notional: '1000000',
      market_amount_step: '0.001',
      market_max_amount: '90',
      contract_size: '1',
      maker_fee: '0.0001',
      taker_fee: '0.000000000000000001',
      order_types: ['LIMIT', 'MARKET', 'STOP_LIMIT'],
      time_in_forces: ['GTC', 'IOC', 'FOK'],
      is_active: true,
    });
  });

  it('keep their ids, and get a new updated_at only if a rule changes', async () => {
    await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('ETH')]);
    const before = [await storedPair('BTC/USDT'), await storedPair('ETH/USDT')] as const;
    await catalogue.storeMarkets('paper', [marketOf('ETH', { priceTick: '0.010' }), marketOf('BTC')]);
    expect([await storedPair('BTC/USDT'), await storedPair('ETH/USDT')]).toEqual(before);
    for (const change of [
      { priceTick: '0.02' },
      { priceTick: '0.02', maxAmount: '5' },
      { priceTick: '0.02', maxAmount: '5', orderTypes: ['LIMIT'] as const },
      { priceTick: '0.02', maxAmount: '5', orderTypes: ['LIMIT'] as const, isActive: false },
    ]) {
      const last = await storedPair('ETH/USDT');
      await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('ETH', change)]);
      const changed = await storedPair('ETH/USDT');
      expect(changed.id).toBe(last.id);
      expect(changed.updated_at > last.updated_at).toBe(true);
      expect(changed.rules_updated_at > last.rules_updated_at).toBe(true);
    }
    expect(await storedPair('BTC/USDT')).toEqual(before[0]);
  });

  it('are inactive while the exchange does not list them; pairs of other exchanges are not affected', async () => {
    await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('ETH')]);
    await catalogue.storeMarkets('other', [marketOf('ETH')]);
    await catalogue.storeMarkets('paper', [marketOf('BTC')]);
    const unlisted = await storedPair('ETH/USDT');
    expect(unlisted.is_active).toBe(false);
    expect((await storedPair('ETH/USDT', 'other')).is_active).toBe(true);
    expect(await catalogue.activeSymbols('paper')).toEqual(['BTC/USDT']);
    await catalogue.storeMarkets('paper', [marketOf('BTC')]);
    expect(await storedPair('ETH/USDT')).toEqual(unlisted);
    await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('ETH')]);
    expect(await storedPair('ETH/USDT')).toMatchObject({ id: unlisted.id, is_active: true });
  });

  it('can be traded by accounts of their exchange and trading type', async () => {
    const perpetual = { symbol: 'BTC/USDT:USDT', settle: 'USDT', tradingType: 'perpetual' } as const;
    await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('BTC', perpetual)]);
    await catalogue.storeMarkets('other', [marketOf('ETH')]);
    const owner = await core.actor();
    const accounts = [await core.account(owner), await core.account(owner, {}, { tradingType: 'perpetual' })];
    const symbols = await Promise.all(accounts.map(({ uuid }) => catalogue.symbolsOf(uuid)));
    expect(symbols).toEqual([['BTC/USDT'], ['BTC/USDT:USDT']]);
    await catalogue.storeMarkets('paper', [marketOf('ETH')]);
    expect(await catalogue.symbolsOf(accounts[0]!.uuid)).toEqual(['ETH/USDT']);
  });

  it('keep their ids and lots if the symbol names another contract; a new pair has the symbol then', async () => {
    const actor = await core.actor('READ');
    const contract = (more: Partial<Market>) => marketOf('BTC', { contractSize: '0.001', ...more });
    await catalogue.storeMarkets('paper', [contract({})]);
    const first = encodeId('tpr', (await storedPair('BTC/USDT')).id);
    await catalogue.storeMarkets('paper', [contract({ contractSize: '1' })]);
    const second = encodeId('tpr', (await storedPair('BTC/USDT')).id);
    await catalogue.storeMarkets('paper', [contract({ contractSize: '1', exchangeSymbol: 'XBTUSDT' })]);
    const third = encodeId('tpr', (await storedPair('BTC/USDT')).id);
    expect(new Set([first, second, third]).size).toBe(3);
    const replaced = { symbol: 'BTC/USDT', is_active: false, inactive_reason: 'REPLACED' };
    expect(await pairs.getMany(actor, [first, second, third])).toMatchObject([
      { ...replaced, exchange_symbol: 'BTCUSDT', contract_size: '0.001', replaced_by: second },
      { ...replaced, exchange_symbol: 'BTCUSDT', contract_size: '1', replaced_by: third },
      { symbol: 'BTC/USDT', is_active: true, exchange_symbol: 'XBTUSDT' },
    ]);
    expect(await catalogue.activeSymbols('paper')).toEqual(['BTC/USDT']);
    // The old contract is listed again: the pairs that were replaced stay inactive.
    await catalogue.storeMarkets('paper', [contract({})]);
    expect(await pairs.getMany(actor, [first, second, third])).toMatchObject([replaced, replaced, replaced]);
    for (const pair of await pairs.getMany(actor, [first])) expect(tradePair.parse(pair)).toEqual(pair);
  });

  it('say why they are inactive', async () => {
    const actor = await core.actor('READ');
    await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('ETH')]);
    const id = encodeId('tpr', (await storedPair('ETH/USDT')).id);
    const reasonAfter = async (markets: readonly Market[]) => {
      await catalogue.storeMarkets('paper', markets);
      const { is_active, inactive_reason } = await pairs.get(actor, id);
      return [is_active, inactive_reason];
    };
    expect(await reasonAfter([marketOf('BTC'), marketOf('ETH', { isActive: false })])).toEqual([
      false,
      'PAUSED',
    ]);
    expect(await reasonAfter([marketOf('BTC')])).toEqual([false, 'DELISTED']);
    expect(await reasonAfter([marketOf('BTC'), marketOf('ETH')])).toEqual([true, undefined]);
  });

  it('are replaced once by concurrent workers', async () => {
    await catalogue.storeMarkets('paper', [marketOf('BTC')]);
    const markets = [marketOf('BTC', { exchangeSymbol: 'XBTUSDT' })];
    await Promise.all([1, 2, 3, 4].map(() => catalogue.storeMarkets('paper', markets)));
    expect(
      await core.rows('SELECT symbol, is_active FROM trade_pairs WHERE is_active ORDER BY symbol'),
    ).toEqual([{ symbol: 'BTC/USDT', is_active: true }]);
    expect(await core.rows('SELECT FROM trade_pairs')).toHaveLength(2);
  });

  it('are separate for each trading type of one symbol', async () => {
    await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('BTC', { tradingType: 'perpetual' })]);
    await catalogue.storeMarkets('paper', [marketOf('BTC')]);
    expect(
      await core.rows('SELECT trading_type, is_active FROM trade_pairs ORDER BY trading_type DESC'),
    ).toEqual([
      { trading_type: 'spot', is_active: true },
      { trading_type: 'perpetual', is_active: false },
    ]);
  });

  it('are stored consistently by concurrent workers that list them in different orders', async () => {
    const markets = Array.from({ length: 40 }, (_, i) => marketOf(`A${i}`));
    await Promise.all(
      [markets, markets.toReversed(), markets, markets.toReversed()].map((listed, i) =>
        catalogue.storeMarkets(
          'paper',
          listed.map((market) => ({ ...market, minAmount: `0.00${i + 1}` })),
        ),
      ),
    );
    expect(await catalogue.activeSymbols('paper')).toHaveLength(40);
    const amounts = await core.rows('SELECT DISTINCT min_amount FROM trade_pairs');
    expect(amounts).toHaveLength(1);
  });
});

describe('last prices', () => {
  it('are stored for the pairs of their exchange, and do not change updated_at', async () => {
    await catalogue.storeMarkets('paper', [marketOf('BTC'), marketOf('ETH')]);
    await catalogue.storeMarkets('other', [marketOf('BTC')]);
    const before = await storedPair('BTC/USDT');
    const at = new Date();
    await catalogue.storePrices('paper', [
      { symbol: 'BTC/USDT', price: '0.000000000000000001', at },
      { symbol: 'NEW/USDT', price: '5', at },
    ]);
    expect(
      await core.row(
        "SELECT last_price_at FROM trade_pairs WHERE symbol = 'BTC/USDT' AND exchange = 'paper'",
      ),
    ).toEqual({
      last_price_at: at,
    });
    expect(await storedPair('BTC/USDT')).toEqual({ ...before, last_price: '0.000000000000000001' });
    expect(await storedPair('ETH/USDT')).toMatchObject({ last_price: null });
    expect(await storedPair('BTC/USDT', 'other')).toMatchObject({ last_price: null });
    await catalogue.storePrices('paper', []);
    await catalogue.storeMarkets('paper', [marketOf('BTC', { minNotional: '6' }), marketOf('ETH')]);
    expect(await storedPair('BTC/USDT')).toMatchObject({ last_price: '0.000000000000000001' });
  });
});

describe('a pair', () => {
  it('is not found by an unknown or invalid id', async () => {
    const actor = await core.actor('READ');
    for (const id of [encodeId('tpr', newUuid()), encodeId('trd', newUuid()), 'tpr_x', '']) {
      await expect(pairs.get(actor, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
