import { Ledger } from '@trading-automation/core/ledger';
import { ProfitSharesService } from '@trading-automation/core/rewards';
import { CoreUnderTest } from '@trading-automation/core/testing';
import { configSchema } from '../config.js';
import { ProfitSharing } from './profit-sharing.js';

let core: CoreUnderTest;

beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

describe('a trading worker', () => {
  it('publishes the reward type of profit shares, settles due periods at start, and stops after the running tick', async () => {
    const errors: unknown[] = [];
    const shares = new ProfitSharesService(core.platform, new Ledger(core.platform), {});
    const sharing = new ProfitSharing(shares, (error) => errors.push(error));
    await sharing.onApplicationBootstrap();
    await sharing.onApplicationShutdown();
    expect(await core.rows('SELECT code, basis, is_active FROM reward_types')).toEqual([
      { code: 'PROFIT_SHARE', basis: 'PROFIT_SHARE', is_active: true },
    ]);
    const settled = await core.rows(
      'SELECT period, settled_until <= now() AS is_over FROM profit_share_progress ORDER BY period',
    );
    expect(settled).toEqual(['MONTH', 'QUARTER', 'WEEK'].map((period) => ({ period, is_over: true })));
    expect(errors).toEqual([]);
  });

  it('reports a tick that failed, and can be stopped afterwards', async () => {
    const reported = new Promise<unknown>((resolve) => {
      const settleDue = () => Promise.reject(new Error('no database'));
      const done = async () => undefined;
      const service = { publishRewardType: done, recordPrices: done, settleDue };
      const sharing = new ProfitSharing(service, (error) => {
        void sharing.onApplicationShutdown().then(() => resolve(error));
      });
      void sharing.onApplicationBootstrap();
    });
    expect(await reported).toEqual(new Error('no database'));
  });

  it('can be stopped without having started', async () => {
    const shares = new ProfitSharesService(core.platform, new Ledger(core.platform), {});
    await expect(new ProfitSharing(shares, () => undefined).onApplicationShutdown()).resolves.toBeUndefined();
  });
});

describe('the configured conversion of quote currency to reward tokens', () => {
  const { REWARD_TOKENS_PER_QUOTE: setting } = configSchema.shape;

  it('is exact, may be empty and may be omitted', () => {
    expect(setting.parse('{"USDT": "1.000000000000000001", "EUR": 2}')).toEqual({
      USDT: '1.000000000000000001',
      EUR: '2',
    });
    expect(setting.parse('{}')).toEqual({});
    expect(setting.parse(undefined)).toBeUndefined();
  });

  it.each(['1', 'USDT', '[]', '{"USDT": "0"}', '{"USDT": "-1"}', '{"USDT": "many"}', '{"us dt": "1"}'])(
    'cannot be %s',
    (text) => {
      expect(setting.safeParse(text).success).toBe(false);
    },
  );

  it('is rejected with a message that names the wrong entry', () => {
    expect(setting.safeParse('{"USDT": "0"}').error?.issues[0]?.message).toMatch(/^USDT: /);
  });
});
