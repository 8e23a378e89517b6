/** Tests of the funding in the settlement of profit shares. */
import { newUuid } from '@trading-automation/persistence';
import {
  type CopierFixture,
  type LeaderFixture,
  ProfitShareUnderTest,
} from './testing/profit-share-under-test.js';

let env: ProfitShareUnderTest;
let leader: LeaderFixture;
let copier: CopierFixture;

beforeAll(async () => {
  env = await ProfitShareUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.resetProgress();
  leader = await env.createLeader();
  copier = await env.createCopier(leader);
});

const copyTrade = (week: number, hour: number, side: 'BUY' | 'SELL', price: string, amount: string) =>
  env.insertCopy(leader, copier, env.at(week, hour), { side, price, amount });
/** Books funding to the lot of the copier. */
const fund = (hour: number, amount: string, week = 0) =>
  env.core.rows(
    `INSERT INTO lot_funding (lot_id, source_id, user_id, exchange_account_id, trade_pair_id, amount, at)
     SELECT id, $2, user_id, exchange_account_id, trade_pair_id, $3, $4 FROM lots WHERE copier_id = $1`,
    copier.id,
    newUuid(),
    amount,
    env.at(week, hour),
  );
const shown = async () =>
  (await env.grantedRewards(leader)).map(({ amount, profit_share }) => [
    amount,
    profit_share?.realized,
    profit_share?.open_loss,
  ]);

it('a closed part takes its share of the funding paid while it was open; the open part adds to the open loss', async () => {
  await copyTrade(0, 1, 'BUY', '1000', '2');
  await fund(2, '-6');
  await copyTrade(0, 3, 'SELL', '1100', '1');
  await fund(4, '-4');
  await env.priceAtEnd(0, '1000');
  await env.settle(0);
  // 100 less half of 6; the open part has the other half and all of 4.
  expect(await shown()).toEqual([['9', '97', '7']]);
  await copyTrade(1, 1, 'SELL', '1100', '1');
  await env.settle(1);
  expect(await shown()).toEqual([
    ['9', '97', '7'],
    ['10', '190', '0'],
  ]);
});

it('received funding is shared once its part is closed, and lowers the open loss before that', async () => {
  await copyTrade(0, 1, 'BUY', '1000', '1');
  await fund(2, '30');
  await env.priceAtEnd(0, '980');
  await env.settle(0);
  expect(await shown()).toEqual([]);
  await copyTrade(1, 1, 'SELL', '1000', '1');
  await env.settle(1);
  expect(await shown()).toEqual([['3', '30', '0']]);
});

it('funding after the end of the period is not part of it', async () => {
  await copyTrade(0, 1, 'BUY', '1000', '1');
  await copyTrade(0, 2, 'SELL', '1100', '0.5');
  await fund(1, '-20', 1);
  await env.priceAtEnd(0, '1000');
  await env.settle(0);
  expect(await shown()).toEqual([['5', '50', '0']]);
});
