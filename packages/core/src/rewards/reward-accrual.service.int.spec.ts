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
/** Connects an exchange account whose id at the exchange is `venueAccountId`; null if the exchange does not report it. */
const connect = async (
  venueAccountId: string | null,
  user = actor,
  exchange = 'paper',
): Promise<RecordIds> => {
  const account = await core.account(user, undefined, { exchange });
  await core.rows(
    'UPDATE exchange_accounts SET venue_account_id = $2 WHERE id = $1',
    account.uuid,
    venueAccountId,
  );
  return account;
};
/** Appends the event of a record, with only the fields that grants read. */
const appendTestEvent = (user: Actor, type: Event['type'], data: Record<string, unknown>, id = newUuid()) =>
  inTransaction(core.platform.database, (tx) =>
    appendEvent(tx, {
      id,
      userId: user.userId,
      type,
      payload: Buffer.from(JSON.stringify({ event_id: encodeId('evt', id), type, data })),
    }),
  );
const appendSynced = (account: RecordIds, user = actor) =>
  appendTestEvent(user, 'exchange.synced', { id: account.id });
const appendFilled = (account: RecordIds, user = actor, trade = newUuid()) =>
  appendTestEvent(user, 'trade.filled', { id: encodeId('trd', trade), exchange_account_id: account.id });
const grantedCodes = async (user = actor): Promise<string[]> => {
  const rows = await core.rows(
    'SELECT t.code FROM rewards r JOIN reward_types t ON t.id = r.type_id WHERE r.user_id = $1 ORDER BY r.created_at',
    user.userId,
  );
  return rows.map(({ code }) => String(code));
};
const newVenueAccountId = () => `venue-${newUuid()}`;
const grantedEvents = async (user = actor) =>
  (await core.events(user.userId)).filter(({ type }) => type === 'reward.granted');
/** Resets the progress of the relay, so that the relay handles all events again. */
const resetProgress = () => core.rows("UPDATE outbox_progress SET position = 0 WHERE consumer = 'rewards'");

describe('rewards are granted', () => {
  it('for a synced account and for its first filled trade; the event contains the reward', async () => {
    const account = await connect(newVenueAccountId());
    const trade = newUuid();
    await appendSynced(account);
    await appendFilled(account, actor, trade);
    await drain();
    expect(await grantedCodes()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
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
    const account = await connect(newVenueAccountId());
    for (let round = 0; round < 3; round++) {
      await appendSynced(account);
      await appendSynced(account);
      await appendFilled(account);
      await drain();
    }
    expect(await grantedCodes()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
    expect(await grantedEvents()).toHaveLength(2);
  });

  it('once, even if every event is handled again', async () => {
    const account = await connect(newVenueAccountId());
    await appendSynced(account);
    await appendFilled(account);
    await drain();
    for (let round = 0; round < 2; round++) {
      await resetProgress();
      expect(await drain()).toBeGreaterThan(1);
    }
    expect(await grantedCodes()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
    expect(await grantedEvents()).toHaveLength(2);
  });

  it('once per user, despite several connected accounts', async () => {
    for (const account of [
      await connect(newVenueAccountId()),
      await connect(newVenueAccountId()),
      await connect(newVenueAccountId()),
    ]) {
      await appendSynced(account);
      await appendFilled(account);
    }
    await drain();
    expect(await grantedCodes()).toEqual(['SIGN_UP', 'FIRST_TRADE']);
  });

  it('once per person: a user who has or had a public key in common with a rewarded user gets none', async () => {
    const pubkey = `02${newUuid()}`;
    const twin = await core.actor();
    for (const { userId } of [actor, twin])
      await core.rows(
        'INSERT INTO public_keys (id, user_id, pubkey, revoked_at) VALUES ($1, $2, $3, now())',
        newUuid(),
        userId,
        pubkey,
      );
    const mine = await connect(newVenueAccountId());
    const twins = await connect(newVenueAccountId(), twin);
    await appendSynced(mine);
    await appendSynced(twins, twin);
    await appendFilled(twins, twin);
    await drain();
    expect(await grantedCodes()).toEqual(['SIGN_UP']);
    expect((await grantedEvents(twin)).map(({ data }) => data.amount)).toEqual([50]);
  });

  it('once per account at an exchange, even if a second user connects it or the first user removes it', async () => {
    const venueAccount = newVenueAccountId();
    const [mine, other] = [await connect(venueAccount), await core.actor()];
    const otherUsersAccount = await connect(venueAccount, other);
    await appendSynced(mine);
    await appendSynced(otherUsersAccount, other);
    await appendFilled(otherUsersAccount, other);
    await appendFilled(mine);
    await drain();
    await core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', mine.uuid);
    const third = await core.actor();
    await appendSynced(await connect(venueAccount, third), third);
    await drain();
    expect([await grantedCodes(), await grantedCodes(other), await grantedCodes(third)]).toEqual([
      ['SIGN_UP'],
      ['FIRST_TRADE'],
      [],
    ]);
  });

  it('once per user and once per account at an exchange, even if only the unique indexes prevent a second grant', async () => {
    const { id: type_id } = await core.row("SELECT id FROM reward_types WHERE code = 'SIGN_UP'");
    const [venue, other] = [newVenueAccountId(), await core.actor()];
    const insert = (user: Actor, venueAccountId: string) =>
      inTransaction(core.platform.database, (tx) =>
        insertReward(tx, {
          trigger: {
            code: 'SIGN_UP',
            userId: user.userId,
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
      Array.from({ length: 20 }, (_, round) => insert(round % 2 === 0 ? actor : other, venue)),
    );
    expect(forAccount.filter((id) => id !== undefined)).toHaveLength(1);
    const third = await core.actor();
    const forUser = await Promise.all(Array.from({ length: 20 }, () => insert(third, newVenueAccountId())));
    expect(forUser.filter((id) => id !== undefined)).toHaveLength(1);
  });

  it('for the same account id at two exchanges, because these are two accounts', async () => {
    const venueAccount = newVenueAccountId();
    const other = await core.actor();
    await appendSynced(await connect(venueAccount));
    await appendSynced(await connect(venueAccount, other, 'another'), other);
    await drain();
    expect([await grantedCodes(), await grantedCodes(other)]).toEqual([['SIGN_UP'], ['SIGN_UP']]);
  });

  it('only if the exchange reports an account id for the account', async () => {
    const account = await connect(null);
    await appendSynced(account);
    await appendFilled(account);
    await drain();
    expect(await grantedCodes()).toEqual([]);
  });

  it('only for the event types of the catalogue, and only to the owner of the account', async () => {
    const account = await connect(newVenueAccountId());
    const other = await core.actor();
    await appendTestEvent(actor, 'exchange.sync_failed', { id: account.id });
    await appendTestEvent(actor, 'trade.partially_filled', {
      id: encodeId('trd', newUuid()),
      exchange_account_id: account.id,
    });
    await appendSynced(account, other);
    await drain();
    expect([await grantedCodes(), await grantedCodes(other)]).toEqual([[], []]);
  });

  it('once, even if two processes grant concurrently', async () => {
    const account = await connect(newVenueAccountId());
    await drain();
    await appendSynced(account);
    const second = accrual(undefined, await core.openSecondPlatform()).relay(onError);
    await Promise.all([drain(), second.drain()]);
    await drain();
    expect(await grantedCodes()).toEqual(['SIGN_UP']);
    expect(await grantedEvents()).toHaveLength(1);
  });
});

describe('the catalogue of rewards', () => {
  it('defines the amount and the expiry of the rewards that are granted', async () => {
    const settings = { amounts: { SIGN_UP: '0.000000000000000001' }, expiresDays: 30 };
    await accrual(settings).publishRewardTypes();
    await appendSynced(await connect(newVenueAccountId()));
    await drain(settings);
    const row = await core.row(
      'SELECT amount, expires_at - claimable_at = $2::interval AS is_right FROM rewards WHERE user_id = $1',
      actor.userId,
      '30 days',
    );
    expect(row).toEqual({ amount: '0.000000000000000001', is_right: true });
  });

  it('grants no reward while the amount is zero', async () => {
    const account = await connect(newVenueAccountId());
    const zeroAmounts = { amounts: { SIGN_UP: '0', FIRST_TRADE: '0' } };
    await accrual(zeroAmounts).publishRewardTypes();
    await appendSynced(account);
    await appendFilled(account);
    await drain(zeroAmounts);
    expect(await grantedCodes()).toEqual([]);
    await accrual().publishRewardTypes();
    await appendSynced(account);
    await drain();
    expect(await grantedCodes()).toEqual(['SIGN_UP']);
  });

  it('has zero amounts in the live world for reward types without a configured amount', async () => {
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

  it('does not change if five processes publish it again concurrently', async () => {
    const before = await core.rows('SELECT * FROM reward_types ORDER BY code');
    await Promise.all(Array.from({ length: 5 }, () => accrual().publishRewardTypes()));
    expect(await core.rows('SELECT * FROM reward_types ORDER BY code')).toEqual(before);
  });
});
