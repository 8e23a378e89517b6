import { ExchangeError } from '@trading-automation/exchanges';
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

describe('looks at an account', () => {
  it('that are asked for at once are two: the one that has begun, and one more for all who came after', async () => {
    let running = 0;
    let most = 0;
    env.exchange.onCall = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
    };
    await Promise.all(Array.from({ length: 20 }, () => env.gateway.balanceSync.sync(env.account.uuid)));
    expect(env.exchange.balanceReads).toBe(2);
    expect(most).toBe(1);
    await env.gateway.balanceSync.sync(env.account.uuid);
    expect(env.exchange.balanceReads).toBe(3);
  });

  it('show what was there when they were asked for, not what a look before it had read', async () => {
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

  it('that nobody waits for do not pile up, and are made before the worker ends', async () => {
    for (let i = 0; i < 20; i++) env.gateway.balanceSync.syncSoon(env.account.uuid);
    await env.gateway.balanceSync.drain();
    expect(env.exchange.balanceReads).toBe(2);
    expect(await balances()).toEqual(env.exchange.balances);
  });

  it('that fail tell whoever waits, hinder no later one, and leave the balances as they were', async () => {
    const before = await balances();
    env.exchange.onCall = () => {
      throw new ExchangeError('retryable', 'unreachable', 'The exchange is away.');
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

  it('by refused credentials end the use of the account', async () => {
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

describe('the client of an account', () => {
  it('is one for all who use the account at once', async () => {
    for (let i = 0; i < 10; i++) await env.place();
    await Promise.all([env.send(), env.gateway.balanceSync.sync(env.account.uuid)]);
    expect(env.exchange.connectedWith).toEqual([{ apiKey: 'key', apiSecret: 'a secret' }]);
    expect(env.exchange.closed).toBe(0);
  });

  it('is made anew when the account has new credentials, and the old one closed', async () => {
    await env.gateway.balanceSync.sync(env.account.uuid);
    await env.setCredentials('another secret');
    await env.gateway.balanceSync.sync(env.account.uuid);
    expect(env.exchange.connectedWith.map(({ apiSecret }) => apiSecret)).toEqual([
      'a secret',
      'another secret',
    ]);
    expect(env.exchange.closed).toBe(1);
  });

  it('is made of the new credentials of an account whose old ones were refused, for trades as for looks', async () => {
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
    expect(env.exchange.closed).toBe(1);
  });

  it('that is refused after the account got new credentials does not end the use of the account', async () => {
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

  it('is not there for credentials that were sealed to another account, and is there once they are right', async () => {
    await env.core.rows(
      `UPDATE exchange_accounts SET credentials_sealed = (SELECT credentials_sealed FROM exchange_accounts
         WHERE id <> $1 AND credentials_sealed <> 'sealed' LIMIT 1) WHERE id = $1`,
      env.account.uuid,
    );
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toThrow();
    await env.setCredentials('a secret');
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).resolves.toBeUndefined();
  });

  it('is closed and gone once the account is removed', async () => {
    await env.gateway.balanceSync.sync(env.account.uuid);
    await env.core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      env.account.uuid,
    );
    await expect(env.gateway.balanceSync.sync(env.account.uuid)).rejects.toMatchObject({ outcome: 'fatal' });
    expect(env.exchange.closed).toBe(1);
  });
});
