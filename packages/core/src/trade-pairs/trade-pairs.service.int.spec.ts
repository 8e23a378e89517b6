import { encodeId, tradePair } from '@trading-automation/contracts';
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
