import { CoreUnderTest } from '../testing/index.js';
import { loadPairInfo } from './analytics.queries.js';

it('results of a replaced pair have the symbol that the pair had', async () => {
  const core = await CoreUnderTest.open();
  try {
    const replaced = await core.pair({ symbol: 'BTC/USDT replaced', listed_symbol: 'BTC/USDT' });
    const current = await core.pair();
    const infos = await loadPairInfo(core.platform.database.manager, [replaced.uuid, current.uuid]);
    expect(infos.map(({ pairId, symbol }) => [pairId, symbol])).toEqual([
      [replaced.uuid, 'BTC/USDT'],
      [current.uuid, 'BTC/USDT'],
    ]);
  } finally {
    await core.close();
  }
});
