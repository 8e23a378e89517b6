import { encodeId, type QueryOf, tradePair, type tradePairOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import { CoreUnderTest, countStatements } from '../testing/index.js';
import { TradePairsService } from './trade-pairs.service.js';

let core: CoreUnderTest;
let pairs: TradePairsService;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  pairs = new TradePairsService(core.platform, core.lists);
  actor = await core.actor('READ');
});
afterAll(() => core.close());

describe('trade pairs by their ids', () => {
  it('are loaded in input order, each as `get` returns it; unknown ids give null', async () => {
    const [first, second] = [await core.pair(), await core.pair({ base: 'ETH', max_amount: '12.50' })];
    const [one, two] = [await pairs.get(actor, first.id), await pairs.get(actor, second.id)];
    expect(tradePair.parse(two)).toEqual(two);
    const ids = [
      second.id,
      encodeId('tpr', newUuid()),
      first.id,
      'tpr_x',
      encodeId('trd', first.uuid),
      second.id,
    ];
    expect(await pairs.getMany(actor, ids)).toEqual([two, null, one, null, null, two]);
    const load = () => pairs.getMany(actor, ids);
    expect(await countStatements(core.platform.database, load)).toBe(1);
  });

  it("are not queried if no id can be a pair's; loading requires READ", async () => {
    const load = () => pairs.getMany(actor, ['tpr_x', '']);
    expect(await load()).toEqual([null, null]);
    expect(await countStatements(core.platform.database, load)).toBe(0);
    const withoutPermissions: Actor = { ...actor, credential: { ...actor.credential, permissions: [] } };
    await expect(pairs.getMany(withoutPermissions, ['tpr_x'])).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('the list of pairs', () => {
  const symbolsOf = async (filters: QueryOf<typeof tradePairOperations.list>) => {
    const page = await pairs.list(actor, {
      sort: 'symbol',
      order: 'asc',
      limit: 100,
      offset: 0,
      include: [],
      ...filters,
    });
    return page.items.map(({ symbol, trading_type }) => `${symbol} ${trading_type}`);
  };

  beforeAll(async () => {
    await core.pair({ base: 'SOL' });
    await core.pair({ base: 'SOL', trading_type: 'margin' });
    await core.pair({ base: 'SOLVE' });
    await core.pair({ base: 'WSOL' });
    await core.pair({ base: '1%SOL' });
  });

  it('has the pairs of one trading type', async () => {
    expect(await symbolsOf({ trading_type: 'margin' })).toEqual(['SOL/USDT margin']);
  });

  it('has the pairs with a symbol in upper or lower case', async () => {
    expect(await symbolsOf({ symbol: 'sol/usdt' })).toEqual(['SOL/USDT spot', 'SOL/USDT margin']);
    expect(await symbolsOf({ symbol: 'SOL/USDT', trading_type: 'spot' })).toEqual(['SOL/USDT spot']);
    expect(await symbolsOf({ symbol: 'SOL' })).toEqual([]);
  });

  it.each(['sol', 'SOL/', 'sol usdt', 'solusdt'])(
    'has the pairs whose symbol begins with %s',
    async (search) => {
      const found = await symbolsOf({ search });
      expect(found).toEqual(expect.arrayContaining(['SOL/USDT spot', 'SOL/USDT margin']));
      expect(found).not.toContain('WSOL/USDT spot');
      expect(found.includes('SOLVE/USDT spot')).toBe(!search.includes('us'));
    },
  );

  it('takes a search literally', async () => {
    expect(await symbolsOf({ search: '1%' })).toEqual(['1%SOL/USDT spot']);
    expect(await symbolsOf({ search: '%' })).toEqual([]);
    expect(await symbolsOf({ search: "'" })).toEqual([]);
  });
});
