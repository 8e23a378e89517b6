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
  it('offers shares in profit, settles what is over as it starts, and ends with the turn that is running', async () => {
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

  it('tells of a turn that failed, and stays', async () => {
    const told = new Promise<unknown>((resolve) => {
      const settleDue = () => Promise.reject(new Error('no database'));
      const sharing = new ProfitSharing({ publishRewardType: async () => undefined, settleDue }, (error) => {
        void sharing.onApplicationShutdown().then(() => resolve(error));
      });
      void sharing.onApplicationBootstrap();
    });
    expect(await told).toEqual(new Error('no database'));
  });

  it('that never started can be stopped', async () => {
    const shares = new ProfitSharesService(core.platform, new Ledger(core.platform), {});
    await expect(new ProfitSharing(shares, () => undefined).onApplicationShutdown()).resolves.toBeUndefined();
  });
});

describe('the conversion that is configured', () => {
  const { REWARD_TOKENS_PER_QUOTE: setting } = configSchema.shape;

  it('is exact, may be none, and is left to the world where it is not set', () => {
    expect(setting.parse('{"USDT": "1.000000000000000001", "EUR": 2}')).toEqual({
      USDT: '1.000000000000000001',
      EUR: '2',
    });
    expect(setting.parse('{}')).toEqual({});
    expect(setting.parse(undefined)).toBeUndefined();
  });

  it.each(['1', 'USDT', '[]', '{"USDT": "0"}', '{"USDT": "-1"}', '{"USDT": "many"}', '{"us dt": "1"}'])(
    'is never %s',
    (text) => {
      expect(setting.safeParse(text).success).toBe(false);
    },
  );

  it('names what is wrong with it', () => {
    expect(setting.safeParse('{"USDT": "0"}').error?.issues[0]?.message).toMatch(/^USDT: /);
  });
});
