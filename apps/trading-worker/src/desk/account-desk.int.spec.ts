import { ExchangeError } from '@trading-automation/exchanges';
import { DesksUnderTest } from '../testing/desk-under-test.js';

let the: DesksUnderTest;
beforeAll(async () => {
  the = await DesksUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());
afterEach(() => the.desks.close());

const balances = async () =>
  (await the.core.row('SELECT balances FROM exchange_accounts WHERE id = $1', the.account.uuid)).balances;

describe('looks at an account', () => {
  it('that are asked for at once are two: the one that has begun, and one more for all who came after', async () => {
    let running = 0;
    let most = 0;
    the.exchange.onCall = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
    };
    await Promise.all(Array.from({ length: 20 }, () => the.desks.accounts.sync(the.account.uuid)));
    expect(the.exchange.balanceReads).toBe(2);
    expect(most).toBe(1);
    await the.desks.accounts.sync(the.account.uuid);
    expect(the.exchange.balanceReads).toBe(3);
  });

  it('show what was there when they were asked for, not what a look before it had read', async () => {
    const first = the.desks.accounts.sync(the.account.uuid);
    the.exchange.onCall = () => {
      the.exchange.balances = { USDT: { free: '7', locked: '0' } };
      the.exchange.onCall = () => undefined;
    };
    const second = the.desks.accounts.sync(the.account.uuid);
    await Promise.all([first, second]);
    expect(await balances()).toEqual({ USDT: { free: '7', locked: '0' } });
    expect(the.exchange.balanceReads).toBe(2);
  });

  it('that nobody waits for do not pile up, and are made before the worker ends', async () => {
    for (let i = 0; i < 20; i++) the.desks.accounts.syncSoon(the.account.uuid);
    await the.desks.accounts.settle();
    expect(the.exchange.balanceReads).toBe(2);
    expect(await balances()).toEqual(the.exchange.balances);
  });

  it('that fail tell whoever waits, hinder no later one, and leave the balances as they were', async () => {
    const before = await balances();
    the.exchange.onCall = () => {
      throw new ExchangeError('retryable', 'unreachable', 'The exchange is away.');
    };
    const outcomes = await Promise.allSettled([
      the.desks.accounts.sync(the.account.uuid),
      the.desks.accounts.sync(the.account.uuid),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await balances()).toEqual(before);
    the.exchange.onCall = () => undefined;
    await the.desks.accounts.sync(the.account.uuid);
    expect(await balances()).toEqual(the.exchange.balances);
  });

  it('by refused credentials end the use of the account', async () => {
    the.exchange.onCall = () => {
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await expect(the.desks.accounts.sync(the.account.uuid)).rejects.toMatchObject({
      code: 'credentials_rejected',
    });
    expect(await the.upkeep.find(the.account.uuid)).toMatchObject({ isActive: false });
    expect(await the.told('exchange')).toEqual(['exchange.credentials_rejected']);
  });
});

describe('the client of an account', () => {
  it('is one for all who use the account at once', async () => {
    for (let i = 0; i < 10; i++) await the.place();
    await Promise.all([the.send(), the.desks.accounts.sync(the.account.uuid)]);
    expect(the.exchange.connectedWith).toEqual([{ apiKey: 'key', apiSecret: 'a secret' }]);
    expect(the.exchange.closed).toBe(0);
  });

  it('is made anew when the account has new credentials, and the old one closed', async () => {
    await the.desks.accounts.sync(the.account.uuid);
    await the.seal('another secret');
    await the.desks.accounts.sync(the.account.uuid);
    expect(the.exchange.connectedWith.map(({ apiSecret }) => apiSecret)).toEqual([
      'a secret',
      'another secret',
    ]);
    expect(the.exchange.closed).toBe(1);
  });

  it('is made of the new credentials of an account whose old ones were refused, for trades as for looks', async () => {
    the.exchange.onCall = () => {
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await expect(the.desks.accounts.sync(the.account.uuid)).rejects.toThrow();
    the.exchange.onCall = () => undefined;
    await expect(the.desks.accounts.sync(the.account.uuid)).rejects.toThrow();
    await the.seal('another secret');
    await the.core.rows('UPDATE exchange_accounts SET is_active = true WHERE id = $1', the.account.uuid);
    await the.desks.accounts.sync(the.account.uuid);
    await the.place();
    await the.send();
    expect(the.exchange.placed).toHaveLength(1);
    expect(the.exchange.connectedWith.map(({ apiSecret }) => apiSecret)).toEqual([
      'a secret',
      'another secret',
    ]);
    expect(the.exchange.closed).toBe(1);
  });

  it('that is refused after the account got new credentials does not end the use of the account', async () => {
    the.exchange.onCall = async () => {
      the.exchange.onCall = () => undefined;
      await the.seal('another secret');
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await expect(the.desks.accounts.sync(the.account.uuid)).rejects.toThrow();
    expect(await the.upkeep.find(the.account.uuid)).toMatchObject({ isActive: true });
    await the.place();
    the.exchange.onPlace = async () => {
      await the.seal('a third secret');
      throw new ExchangeError('fatal', 'credentials_rejected', 'The exchange refused the credentials.');
    };
    await the.send();
    expect(await the.upkeep.find(the.account.uuid)).toMatchObject({ isActive: true });
    expect(await the.told('exchange')).not.toContain('exchange.credentials_rejected');
    await the.desks.accounts.sync(the.account.uuid);
    expect(the.exchange.connectedWith.at(-1)?.apiSecret).toBe('a third secret');
  });

  it('is not there for credentials that were sealed to another account, and is there once they are right', async () => {
    await the.core.rows(
      `UPDATE exchange_accounts SET credentials_sealed = (SELECT credentials_sealed FROM exchange_accounts
         WHERE id <> $1 AND credentials_sealed <> 'sealed' LIMIT 1) WHERE id = $1`,
      the.account.uuid,
    );
    await expect(the.desks.accounts.sync(the.account.uuid)).rejects.toThrow();
    await the.seal('a secret');
    await expect(the.desks.accounts.sync(the.account.uuid)).resolves.toBeUndefined();
  });

  it('is closed and gone once the account is removed', async () => {
    await the.desks.accounts.sync(the.account.uuid);
    await the.core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      the.account.uuid,
    );
    await expect(the.desks.accounts.sync(the.account.uuid)).rejects.toMatchObject({ outcome: 'fatal' });
    expect(the.exchange.closed).toBe(1);
  });
});
