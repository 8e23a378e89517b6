import { newUuid } from '@trading-automation/persistence';
import type { RecordIds } from '../testing/index.js';
import { AccountsUnderTest } from './testing/accounts-under-test.js';

let env: AccountsUnderTest;
let account: RecordIds;
beforeAll(async () => {
  env = await AccountsUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  account = await env.core.account(env.actor);
});

async function insertStrategy(onAccount: RecordIds, status: string): Promise<string> {
  const id = newUuid();
  await env.core.rows(
    `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
     VALUES ($1, $2, $3, 's', 'PRIVATE', $4)`,
    id,
    env.actor.userId,
    onAccount.uuid,
    status,
  );
  return id;
}

async function insertCopier(onAccount: RecordIds, status: string): Promise<string> {
  const id = newUuid();
  const followed = await insertStrategy(await env.core.account(env.actor), 'ACTIVE');
  await env.core.rows(
    `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
       max_signal_age_ms, on_breach, below_minimum, copy_existing, started_at)
     VALUES ($1, $2, $3, $4, 'c', $5, 'MULTIPLIER', 1, 1, 'PAUSE', 'SKIP', false, now())`,
    id,
    env.actor.userId,
    followed,
    onAccount.uuid,
    status,
  );
  return id;
}

const remove = () => env.accounts.delete(env.actor, account.id);

describe('an exchange account', () => {
  it('cannot be removed while an active strategy trades on it', async () => {
    const id = await insertStrategy(account, 'ACTIVE');
    await expect(remove()).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ code: 'invalid_state', state: 'ACTIVE_STRATEGY' }],
    });
    await env.core.rows("UPDATE strategies SET status = 'ARCHIVED' WHERE id = $1", id);
    await expect(remove()).resolves.toEqual({ id: account.id, deleted: true });
  });

  it.each(['ACTIVE', 'CLOSE_ONLY'])('cannot be removed while a copier on it is %s', async (status) => {
    const id = await insertCopier(account, status);
    await expect(remove()).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ code: 'invalid_state', state: 'RUNNING_COPIER' }],
    });
    await env.core.rows("UPDATE copiers SET status = 'PAUSED' WHERE id = $1", id);
    await expect(remove()).resolves.toEqual({ id: account.id, deleted: true });
  });

  it('cannot be removed while it has open lots', async () => {
    const pair = await env.core.pair({ symbol: 'ETH/USDT', base: 'ETH' });
    const ids = { trade: newUuid(), fill: newUuid() };
    await env.core.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id, origin,
         type, side, reduce_only, time_in_force, amount, filled_amount, reserved_asset, reserved_amount, status, look_at)
       VALUES ($1, $2, $3, $4, 'ETH/USDT', 'spot', 'mine', 'API', 'MARKET', 'BUY', false, 'GTC', 1, 1, 'USDT', 0,
         'FILLED', now())`,
      ids.trade,
      env.actor.userId,
      account.uuid,
      pair.uuid,
    );
    await env.core.rows(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, liquidity, executed_at)
       VALUES ($1, $2, $3, 'ETH/USDT', 'f', 100, 1, 0, 'USDT', 'TAKER', now())`,
      ids.fill,
      ids.trade,
      account.uuid,
    );
    await env.core.rows(
      `INSERT INTO lots (id, user_id, exchange_account_id, trade_pair_id, symbol, trade_id, side, opened_amount,
         open_amount, opened_value, open_value, opened_at)
       VALUES ($1, $2, $3, $4, 'ETH/USDT', $5, 'BUY', 1, 1, 100, 100, now())`,
      ids.fill,
      env.actor.userId,
      account.uuid,
      pair.uuid,
      ids.trade,
    );
    await expect(remove()).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ code: 'invalid_state', state: 'OPEN_LOTS' }],
    });
    await env.core.rows(
      'UPDATE lots SET open_amount = 0, open_value = 0, closed_at = now() WHERE id = $1',
      ids.fill,
    );
    await expect(remove()).resolves.toEqual({ id: account.id, deleted: true });
  });

  it('can be removed once its strategies are removed and its copiers are paused', async () => {
    const strategy = await insertStrategy(account, 'ACTIVE');
    await insertCopier(account, 'PAUSED');
    await env.core.rows('UPDATE strategies SET deleted_at = now() WHERE id = $1', strategy);
    await expect(remove()).resolves.toEqual({ id: account.id, deleted: true });
  });
});
