import { copierUpdate } from '@trading-automation/contracts';
import { CopiersUnderTest } from './testing/copiers-under-test.js';

let env: CopiersUnderTest;
beforeAll(async () => {
  env = await CopiersUnderTest.open();
  await env.core.pair();
  await env.core.pair({ quote: 'USDC', is_active: false });
  await env.core.pair({ exchange: 'binance', base: 'ETH' });
  await env.core.pair({ symbol: 'BTC/USDT:USDT', trading_type: 'perpetual' });
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const SETTINGS = {
  quote_aliases: [['USDT', 'USDC']],
  symbol_map: { 'ETH/USDT': 'BTC/USDT' },
  overrides: {
    'ETH/USDT': { sizing: { mode: 'EQUITY_RATIO', value: '0.50', capital: '100.0' } },
    'BTC/USDT': { limits: { max_trade_quote: '200.10', allowed_sides: ['BUY'] } },
  },
};

/** Returns the field, code and message of each detail of the error with which a promise is rejected. */
const detailsOf = async (rejected: Promise<unknown>) => {
  const error = await rejected.then(
    () => undefined,
    (reason: unknown) =>
      reason as { code: string; details: { field: string; code: string; message: string }[] },
  );
  return error?.details.map(({ field, code, message }) => `${field} ${code}: ${message}`);
};

describe('the settings of a copier for other exchanges and single pairs', () => {
  it('are stored, returned with canonical decimals, and replaced as a whole by an update', async () => {
    const { id } = await env.create(SETTINGS);
    const created = await env.copiers.get(env.actor, id);
    expect(created).toMatchObject({
      quote_aliases: SETTINGS.quote_aliases,
      symbol_map: SETTINGS.symbol_map,
      overrides: {
        'ETH/USDT': { sizing: { mode: 'EQUITY_RATIO', value: '0.5', capital: '100' } },
        'BTC/USDT': { limits: { max_trade_quote: '200.1', allowed_sides: ['BUY'] } },
      },
    });
    const unchanged = await env.copiers.update(env.actor, id, copierUpdate.parse({ name: 'other' }));
    expect(unchanged.overrides).toEqual(created.overrides);
    const changes = { quote_aliases: [], symbol_map: {}, overrides: { 'BTC/USDT': { limits: {} } } };
    expect(await env.copiers.update(env.actor, id, copierUpdate.parse(changes))).toMatchObject(changes);
  });

  it('are empty by default', async () => {
    expect(await env.create()).toMatchObject({ quote_aliases: [], symbol_map: {}, overrides: {} });
  });

  it('may name an inactive pair, which may become active again', async () => {
    const { symbol_map } = await env.create({ symbol_map: { 'BTC/USDT': 'BTC/USDC' } });
    expect(symbol_map).toEqual({ 'BTC/USDT': 'BTC/USDC' });
  });

  it('are rejected with each unknown symbol and how to fix it', async () => {
    const settings = {
      symbol_map: { 'BTC/USDT': 'ETH/USDT', 'XRP/USDT': 'BTC/USDT' },
      overrides: { 'BTC/USD': { limits: { max_open_trades: 1 } } },
    };
    const details = [
      'symbol_map.XRP/USDT not_found: No exchange offers the spot pair XRP/USDT. Use the symbol of a pair that the strategy trades.',
      'symbol_map.BTC/USDT not_found: The exchange paper does not offer the spot pair ETH/USDT. Use a symbol that GET /v1/trade-pairs lists for it.',
      'overrides.BTC/USD not_found: No exchange offers the spot pair BTC/USD. Use the symbol of a pair that the strategy trades.',
    ];
    expect(await detailsOf(env.create(settings))).toEqual(details);
    const { id } = await env.create();
    expect(await detailsOf(env.copiers.update(env.actor, id, copierUpdate.parse(settings)))).toEqual(details);
  });

  it('are rejected for a perpetual on a spot account', async () => {
    const map = { 'BTC/USDT:USDT': 'BTC/USDT:USDT' };
    expect(await detailsOf(env.create({ symbol_map: map }))).toEqual([
      'symbol_map.BTC/USDT:USDT not_found: No exchange offers the spot pair BTC/USDT:USDT. Use the symbol of a pair that the strategy trades.',
    ]);
  });
});

describe('an override with the sizing mode MULTIPLIER', () => {
  const overrides = { 'BTC/USDT': { sizing: { mode: 'MULTIPLIER', value: '2' } } };
  const sizing = { mode: 'FIXED_QUOTE', value: '10' };
  const REJECTED = [expect.stringMatching(/^overrides\.BTC\/USDT\.sizing\.mode multiplier_not_allowed: /)];

  it('needs the permission of the strategy, for a new copier and for an update', async () => {
    const { id: strategy_id } = await env.foreignStrategy({ visibility: 'PUBLIC', allow_multiplier: false });
    expect(await detailsOf(env.create({ strategy_id, sizing, overrides }))).toEqual(REJECTED);
    const { id } = await env.create({ strategy_id, sizing });
    const update = copierUpdate.parse({ overrides });
    expect(await detailsOf(env.copiers.update(env.actor, id, update))).toEqual(REJECTED);
    const { id: own } = await env.create({ sizing, overrides });
    const link = copierUpdate.parse({ strategy_id });
    expect(await detailsOf(env.copiers.update(env.actor, own, link))).toEqual([
      expect.stringMatching(/^strategy_id multiplier_not_allowed: /),
    ]);
  });

  it('is kept by a copier that has it', async () => {
    const { id: strategy_id } = await env.foreignStrategy({ visibility: 'PUBLIC' });
    const { id } = await env.create({ strategy_id, sizing, overrides });
    await env.core.rows('UPDATE strategies SET allow_multiplier = false');
    const kept = await env.copiers.update(env.actor, id, copierUpdate.parse({ overrides, name: 'kept' }));
    expect(kept.overrides).toEqual(overrides);
  });
});
