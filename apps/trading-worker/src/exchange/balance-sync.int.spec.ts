import type { ExchangeAccount } from '@trading-automation/contracts';
import { type AssetLoan, ExchangeError } from '@trading-automation/exchanges';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(() => env.gateway.close());

const balances = async () =>
  (await env.core.row('SELECT balances FROM exchange_accounts WHERE id = $1', env.account.uuid)).balances;

describe('a requested sync that is refused by the rate limit', () => {
  it('stays due, while one that fails for another reason is reported to the user', async () => {
    const fail = async (code: 'rate_limited' | 'unreachable') => {
      env.exchange.onCall = () => {
        throw new ExchangeError('retryable', code, 'no');
      };
      await env.core.rows(
        'UPDATE exchange_accounts SET sync_requested_at = clock_timestamp(), sync_served_at = NULL WHERE id = $1',
        env.account.uuid,
      );
      await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toThrow('no');
      return env.eventTypes('exchange');
    };
    expect(await fail('rate_limited')).toEqual([]);
    expect(await fail('unreachable')).toEqual(['exchange.sync_failed']);
  });
});

describe('concurrent syncs of an account', () => {
  it('are limited to two: the running sync, and one more for all callers that arrive meanwhile', async () => {
    let running = 0;
    let mostConcurrent = 0;
    env.exchange.onCall = async () => {
      mostConcurrent = Math.max(mostConcurrent, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
    };
    await Promise.all(Array.from({ length: 20 }, () => env.gateway.balanceSync.sync(env.account.uuid)));
    expect(env.exchange.balanceReads).toBe(2);
    expect(mostConcurrent).toBe(1);
    await env.gateway.balanceSync.sync(env.account.uuid);
    expect(env.exchange.balanceReads).toBe(3);
  });

  it('return the balances at the time of the request, not those that an earlier sync read', async () => {
    const first = env.gateway.balanceSync.sync(env.account.uuid);
    env.exchange.onCall = () => {
      env.exchange.balances = { USDT: { free: '7', locked: '0' } };
      env.exchange.onCall = () => undefined;
    };
    const second = env.gateway.balanceSync.sync(env.account.uuid);
    await Promise.all([first, second]);
    expect(await balances()).toEqual({ USDT: { free: '7', locked: '0' } });
    expect(env.exchange.balanceReads).toBe(2);
  });

  it('do not pile up in the background, and are completed before the worker stops', async () => {
    for (let i = 0; i < 20; i++) env.gateway.balanceSync.syncSoon(env.account.uuid);
    await env.gateway.balanceSync.drain();
    expect(env.exchange.balanceReads).toBe(2);
    expect(await balances()).toEqual(env.exchange.balances);
  });

  it('report a failure to their callers, do not affect later syncs, and leave the balances unchanged', async () => {
    const before = await balances();
    env.exchange.onCall = () => {
      throw new ExchangeError('retryable', 'unreachable', 'The exchange is unavailable.');
    };
    const outcomes = await Promise.allSettled([
      env.gateway.balanceSync.sync(env.account.uuid),
      env.gateway.balanceSync.sync(env.account.uuid),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await balances()).toEqual(before);
    env.exchange.onCall = () => undefined;
    await env.gateway.balanceSync.sync(env.account.uuid);
    expect(await balances()).toEqual(env.exchange.balances);
  });

  it('deactivate the account when the exchange rejects its credentials', async () => {
    env.exchange.onCall = () => {
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toMatchObject({
      code: 'credentials_rejected',
    });
    expect(await env.accountSync.find(env.account.uuid)).toMatchObject({ isActive: false });
    expect(await env.eventTypes('exchange')).toEqual(['exchange.credentials_rejected']);
  });
});

describe('the loans of a margin account', () => {
  let read: () => Readonly<Record<string, AssetLoan>>;
  beforeEach(async () => {
    await env.core.rows(
      "UPDATE exchange_accounts SET trading_type = 'margin' WHERE id = $1",
      env.account.uuid,
    );
    env.exchange.loans = { fetchLoans: async () => read(), fetchInterest: async () => [] };
  });
  const sync = () => env.gateway.balanceSync.sync(env.account.uuid);
  const loans = async () =>
    (await env.core.row('SELECT loans FROM exchange_accounts WHERE id = $1', env.account.uuid)).loans;

  it('are read with the balances; a loan changes the account, and interest alone does not', async () => {
    read = () => ({});
    await sync();
    const before = await env.eventTypes('exchange');
    const owed = { BTC: { borrowed: '0.5', interest: '0' } };
    read = () => owed;
    await sync();
    expect(await loans()).toEqual(owed);
    expect(await env.eventTypes('exchange')).toEqual([...before, 'exchange.synced']);
    const charged = { BTC: { borrowed: '0.50', interest: '0.01' } };
    read = () => charged;
    await sync();
    expect(await loans()).toEqual(charged);
    read = () => ({});
    await sync();
    expect(await loans()).toEqual({});
    const events = await env.core.events(env.actor.userId);
    expect(
      events.map(({ data }) => (data as unknown as ExchangeAccount).balance_detail.BTC).slice(-2),
    ).toEqual([{ total: 0, free: 0, used: 0, borrowed: 0.5, interest: 0 }, undefined]);
    expect(events).toHaveLength(before.length + 2);
  });

  it('keep their last state while the rate limit leaves no call for them, and the balances are stored', async () => {
    const owed = { BTC: { borrowed: '0.5', interest: '0' } };
    read = () => owed;
    await sync();
    read = () => {
      throw new ExchangeError('retryable', 'rate_limited', 'no');
    };
    env.exchange.balances = { USDT: { free: '7', locked: '0' } };
    await sync();
    expect([await balances(), await loans()]).toEqual([env.exchange.balances, owed]);
    read = () => {
      throw new ExchangeError('retryable', 'unreachable', 'no');
    };
    await expect(sync()).rejects.toThrow('no');
  });
});

describe('the client of an account', () => {
  it('is shared by all concurrent callers', async () => {
    for (let i = 0; i < 10; i++) await env.place();
    await Promise.all([env.send(), env.gateway.balanceSync.sync(env.account.uuid)]);
    expect(env.exchange.connectedWith).toEqual([{ apiKey: 'key', apiSecret: 'a secret' }]);
    expect(env.exchange.closeCount).toBe(0);
  });

  it('is replaced when the account has new credentials, and the old one is closed', async () => {
    await env.gateway.balanceSync.sync(env.account.uuid);
    await env.setCredentials('another secret');
    await env.gateway.balanceSync.sync(env.account.uuid);
    expect(env.exchange.connectedWith.map(({ apiSecret }) => apiSecret)).toEqual([
      'a secret',
      'another secret',
    ]);
    expect(env.exchange.closeCount).toBe(1);
  });

  it('uses new credentials after the old ones were rejected, for trades and for syncs', async () => {
    env.exchange.onCall = () => {
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toThrow();
    env.exchange.onCall = () => undefined;
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toThrow();
    await env.setCredentials('another secret');
    await env.core.rows('UPDATE exchange_accounts SET is_active = true WHERE id = $1', env.account.uuid);
    await env.gateway.balanceSync.sync(env.account.uuid);
    await env.place();
    await env.send();
    expect(env.exchange.placed).toHaveLength(1);
    expect(env.exchange.connectedWith.map(({ apiSecret }) => apiSecret)).toEqual([
      'a secret',
      'another secret',
    ]);
    expect(env.exchange.closeCount).toBe(1);
  });

  it('does not deactivate an account for old credentials that were rejected after the account got new ones', async () => {
    env.exchange.onCall = async () => {
      env.exchange.onCall = () => undefined;
      await env.setCredentials('another secret');
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toThrow();
    expect(await env.accountSync.find(env.account.uuid)).toMatchObject({ isActive: true });
    await env.place();
    env.exchange.onPlace = async () => {
      await env.setCredentials('a third secret');
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await env.send();
    expect(await env.accountSync.find(env.account.uuid)).toMatchObject({ isActive: true });
    expect(await env.eventTypes('exchange')).not.toContain('exchange.credentials_rejected');
    await env.gateway.balanceSync.sync(env.account.uuid);
    expect(env.exchange.connectedWith.at(-1)?.apiSecret).toBe('a third secret');
  });

  it('rejects credentials that were sealed for another account, and works once they are corrected', async () => {
    await env.core.rows(
      `UPDATE exchange_accounts SET credentials_sealed = (SELECT credentials_sealed FROM exchange_accounts
         WHERE id <> $1 AND credentials_sealed <> 'sealed' LIMIT 1) WHERE id = $1`,
      env.account.uuid,
    );
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toThrow();
    await env.setCredentials('a secret');
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).resolves.toBeUndefined();
  });

  it('is closed and removed once the account is deleted', async () => {
    await env.gateway.balanceSync.sync(env.account.uuid);
    await env.core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      env.account.uuid,
    );
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toMatchObject({ outcome: 'fatal' });
    expect(env.exchange.closeCount).toBe(1);
  });
});
