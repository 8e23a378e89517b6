import { type Event, encodeId, reward as rewardSchema } from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import { Ledger } from '../ledger/index.js';
import type { Actor } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { RewardAccrual, type RewardSettings } from './reward-accrual.service.js';
import { insertReward } from './rewards.queries.js';

let core: CoreUnderTest;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  await accrual().publishRewardTypes();
});

const onError = (error: unknown) => {
  throw error;
};
const accrual = (settings: RewardSettings = { amounts: {} }, platform = core.platform) =>
  new RewardAccrual(platform, new Ledger(platform), settings);
const drain = (settings?: RewardSettings) => accrual(settings).relay(onError).drain();
/** Connects an account with this account id of its exchange; null if the exchange does not report it. */
const connect = async (venueAccountId: string | null, by = actor, exchange = 'paper'): Promise<RecordIds> => {
  const account = await core.account(by, undefined, { exchange });
  await core.rows(
    'UPDATE exchange_accounts SET venue_account_id = $2 WHERE id = $1',
    account.uuid,
    venueAccountId,
  );
  return account;
};
/** Writes the event of a record, as its feature does, with only the fields that grants read. */
const appendTestEvent = (by: Actor, type: Event['type'], data: Record<string, unknown>, id = newUuid()) =>
  inTransaction(core.platform.database, (tx) =>
    appendEvent(tx, {
      id,
      userId: by.userId,
      type,
      payload: Buffer.from(JSON.stringify({ event_id: encodeId('evt', id), type, data })),
    }),
  );
const synced = (account: RecordIds, by = actor) => appendTestEvent(by, 'exchange.synced', { id: account.id });
const filled = (account: RecordIds, by = actor, trade = newUuid()) =>
  appendTestEvent(by, 'trade.filled', { id: encodeId('trd', trade), exchange_account_id: account.id });
const granted = async (by = actor): Promise<string[]> => {
  const rows = await core.rows(
    'SELECT t.code FROM rewards r JOIN reward_types t ON t.id = r.type_id WHERE r.user_id = $1 ORDER BY r.created_at',
    by.userId,
  );
  return rows.map(({ code }) => String(code));
};
const unique = () => `venue-${newUuid()}`;
const grantedEvents = async (by = actor) =>
  (await core.events(by.userId)).filter(({ type }) => type === 'reward.granted');
/** Makes the relay handle all events again, as if its progress were lost. */
const resetProgress = () => core.rows("UPDATE outbox_progress SET position = 0 WHERE consumer = 'rewards'");

describe('rewards are granted', () => {
  it('for a synced account and for a filled trade of it, as the record in the event', async () => {
    const account = await connect(unique());
    const trade = newUuid();
    await synced(account);
    await filled(account, actor, trade);
    await drain();
    expect(await granted()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
    const events = await grantedEvents();
    expect(events).toMatchObject([
      {
        data: {
          amount: 100,
          currency: 'SVC-TEST',
          status: 'CLAIMABLE',
          source: { kind: 'exchange_account', id: account.id },
        },
      },
      { data: { amount: 50, source: { kind: 'trade', id: encodeId('trd', trade) } } },
    ]);
    for (const { data } of events) {
      expect(rewardSchema.safeParse({ ...data, amount: String(data.amount) }).success).toBe(true);
      expect(data).not.toHaveProperty('expires_at');
    }
  });

  it('once, despite repeated syncs and fills', async () => {
    const account = await connect(unique());
    for (let turn = 0; turn < 3; turn++) {
      await synced(account);
      await synced(account);
      await filled(account);
      await drain();
    }
    expect(await granted()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
    expect(await grantedEvents()).toHaveLength(2);
  });

  it('once, despite repeated handling of every event', async () => {
    const account = await connect(unique());
    await synced(account);
    await filled(account);
    await drain();
    for (let turn = 0; turn < 2; turn++) {
      await resetProgress();
      expect(await drain()).toBeGreaterThan(1);
    }
    expect(await granted()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
    expect(await grantedEvents()).toHaveLength(2);
  });

  it('once per user, despite several connected accounts', async () => {
    for (const account of [await connect(unique()), await connect(unique()), await connect(unique())]) {
      await synced(account);
      await filled(account);
    }
    await drain();
    expect(await granted()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
  });

  it('once per account at an exchange, despite a second user who connects it, and after its removal', async () => {
    const venueAccount = unique();
    const [mine, other] = [await connect(venueAccount), await core.actor()];
    const theirs = await connect(venueAccount, other);
    await synced(mine);
    await synced(theirs, other);
    await filled(theirs, other);
    await filled(mine);
    await drain();
    await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', mine.uuid);
    const third = await core.actor();
    await synced(await connect(venueAccount, third), third);
    await drain();
    expect([await granted(), await granted(other), await granted(third)]).toEqual([
      ['SIGN_UP'],
      ['FIRST_TRADE'],
      [],
    ]);
  });

  it('once per kind by unique indexes, regardless of earlier checks', async () => {
    const { id: type_id } = await core.row("SELECT id FROM reward_types WHERE code = 'SIGN_UP'");
    const [venue, other] = [unique(), await core.actor()];
    const insert = (by: Actor, venueAccountId: string) =>
      inTransaction(core.platform.database, (tx) =>
        insertReward(tx, {
          trigger: {
            code: 'SIGN_UP',
            userId: by.userId,
            eventId: newUuid(),
            exchangeAccountId: newUuid(),
            sourceId: newUuid(),
          },
          grant: {
            type_id: String(type_id),
            rate: '1',
            exchange: 'paper',
            venue_account_id: venueAccountId,
          },
          currency: 'SVC-TEST',
          reason: 'a test',
          sourceKind: 'exchange_account',
          expiresDays: null,
        }),
      );
    const forAccount = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => insert(turn % 2 === 0 ? actor : other, venue)),
    );
    expect(forAccount.filter((id) => id !== undefined)).toHaveLength(1);
    const third = await core.actor();
    const forUser = await Promise.all(Array.from({ length: 20 }, () => insert(third, unique())));
    expect(forUser.filter((id) => id !== undefined)).toHaveLength(1);
  });

  it('for the same account id at two exchanges, which are two accounts', async () => {
    const venueAccount = unique();
    const other = await core.actor();
    await synced(await connect(venueAccount));
    await synced(await connect(venueAccount, other, 'another'), other);
    await drain();
    expect([await granted(), await granted(other)]).toEqual([['SIGN_UP'], ['SIGN_UP']]);
  });

  it('not for an account whose account id the exchange does not report', async () => {
    const account = await connect(null);
    await synced(account);
    await filled(account);
    await drain();
    expect(await granted()).toEqual([]);
  });

  it('not for other events, nor to a user who does not own the account', async () => {
    const account = await connect(unique());
    const other = await core.actor();
    await appendTestEvent(actor, 'exchange.sync_failed', { id: account.id });
    await appendTestEvent(actor, 'trade.partially_filled', {
      id: encodeId('trd', newUuid()),
      exchange_account_id: account.id,
    });
    await synced(account, other);
    await drain();
    expect([await granted(), await granted(other)]).toEqual([[], []]);
  });

  it('once, despite two processes that grant concurrently', async () => {
    const account = await connect(unique());
    await drain();
    await synced(account);
    const second = accrual(undefined, await core.openSecondPlatform()).relay(onError);
    await Promise.all([drain(), second.drain()]);
    await drain();
    expect(await granted()).toEqual(['SIGN_UP']);
    expect(await grantedEvents()).toHaveLength(1);
  });
});

describe('what is granted', () => {
  it('has the configured amount and expiry', async () => {
    const settings = { amounts: { SIGN_UP: '0.000000000000000001' }, expiresDays: 30 };
    await accrual(settings).publishRewardTypes();
    await synced(await connect(unique()));
    await drain(settings);
    const row = await core.row(
      'SELECT amount, expires_at - claimable_at = $2::interval AS is_right FROM rewards WHERE user_id = $1',
      actor.userId,
      '30 days',
    );
    expect(row).toEqual({ amount: '0.000000000000000001', is_right: true });
  });

  it('is nothing while the amount is zero', async () => {
    const account = await connect(unique());
    const nothing = { amounts: { SIGN_UP: '0', FIRST_TRADE: '0' } };
    await accrual(nothing).publishRewardTypes();
    await synced(account);
    await filled(account);
    await drain(nothing);
    expect(await granted()).toEqual([]);
    await accrual().publishRewardTypes();
    await synced(account);
    await drain();
    expect(await granted()).toEqual(['SIGN_UP']);
  });

  it('is nothing in the live world unless it is configured', async () => {
    const { database, listener, instance } = core.platform;
    const live = { ...core.platform, database, listener, instance, world: 'live' } as typeof core.platform;
    await accrual({ amounts: { FIRST_TRADE: '7' } }, live).publishRewardTypes();
    const rows = await core.rows(
      'SELECT code, rate::float8 AS rate, is_active FROM reward_types ORDER BY code',
    );
    expect(rows).toEqual([
      { code: 'FIRST_TRADE', rate: 7, is_active: true },
      { code: 'SIGN_UP', rate: 0, is_active: false },
    ]);
  });

  it('is published at every start without changes, despite concurrent starts', async () => {
    const before = await core.rows('SELECT * FROM reward_types ORDER BY code');
    await Promise.all(Array.from({ length: 5 }, () => accrual().publishRewardTypes()));
    expect(await core.rows('SELECT * FROM reward_types ORDER BY code')).toEqual(before);
  });
});
