import { encodeId, rewardOperations, reward as rewardSchema } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { Ledger } from '../ledger/index.js';
import { type Actor, querySchemaOf, ResponseReplayed } from '../operations/index.js';
import { CoreUnderTest, countStatements, type RecordIds } from '../testing/index.js';
import { RewardAccrual } from './reward-accrual.service.js';
import { RewardsService } from './rewards.service.js';

let core: CoreUnderTest;
let rewards: RewardsService;
let actor: Actor;
let types: Readonly<Record<string, string>>;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const ledger = new Ledger(core.platform);
  rewards = new RewardsService({
    platform: core.platform,
    lists: core.lists,
    commands: core.commands,
    ledger,
  });
  await new RewardAccrual(core.platform, ledger, { amounts: {} }).publishRewardTypes();
  const rows = await core.rows('SELECT code, id FROM reward_types');
  types = Object.fromEntries(rows.map(({ code, id }) => [String(code), String(id)]));
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
});

/** Inserts a reward of the user. `claimable` and `expires` are SQL intervals that are added to the current time. */
const grant = async (
  columns: { amount?: string; claimable?: string; expires?: string; type?: string } = {},
  user = actor,
): Promise<RecordIds> => {
  const uuid = newUuid();
  await core.rows(
    `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id, event_id,
       claimable_at, expires_at)
     VALUES ($1, $2, $3, $4, 'SVC-TEST', 'A test.', 'trade', $1, $1, now() + $5::interval, now() + $6::interval)`,
    uuid,
    user.userId,
    types[columns.type ?? 'SIGN_UP'],
    columns.amount ?? '100',
    columns.claimable ?? '-1 second',
    columns.expires ?? null,
  );
  return { uuid, id: encodeId('rwd', uuid) };
};
/** Returns the user with a credential that has no permissions. */
const withoutPermissions = (): Actor => ({ ...actor, credential: { ...actor.credential, permissions: [] } });
const PENDING = { claimable: '1 hour' };
const EXPIRED = { claimable: '-2 hours', expires: '-1 hour' };
const list = (query = '', user = actor) =>
  rewards.list(
    user,
    querySchemaOf(rewardOperations.list).parse(Object.fromEntries(new URLSearchParams(query))) as Parameters<
      RewardsService['list']
    >[1],
  );
const listTypes = (query = '') =>
  rewards.types(
    actor,
    querySchemaOf(rewardOperations.types).parse(Object.fromEntries(new URLSearchParams(query))) as Parameters<
      RewardsService['types']
    >[1],
  );
const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id);
const postingsOf = (subjectId: string) =>
  core.rows(
    `SELECT a.kind, p.amount::float8 AS amount FROM ledger_entries e
     JOIN ledger_postings p ON p.entry_id = e.id JOIN ledger_accounts a ON a.id = p.account_id
     WHERE e.subject_id = $1 ORDER BY a.kind`,
    subjectId,
  );

describe('claiming a reward', () => {
  it('adds the amount to the balance, and emits an event', async () => {
    const { id, uuid } = await grant({ amount: '0.1' });
    const claimed = await rewards.claim(actor, id);
    expect(rewardSchema.parse(claimed)).toEqual(claimed);
    expect(claimed).toMatchObject({ id, amount: '0.1', status: 'CLAIMED', claimed_at: expect.any(String) });
    expect((await list()).items).toEqual([claimed]);
    expect(await rewards.balance(actor)).toEqual({ currency: 'SVC-TEST', available: '0.1', held: '0' });
    expect(await postingsOf(uuid)).toEqual([
      { kind: 'available', amount: 0.1 },
      { kind: 'issuance', amount: -0.1 },
    ]);
    expect(await core.events(actor.userId)).toMatchObject([
      { type: 'reward.claimed', data: { id, amount: 0.1 } },
    ]);
  });

  it('succeeds for one of forty concurrent claims, with one posting and one event', async () => {
    const { id, uuid } = await grant();
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => rewards.claim(actor, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toMatchObject({ code: 'invalid_state', details: [{ state: 'CLAIMED' }] });
    }
    expect(await postingsOf(uuid)).toHaveLength(2);
    expect(await core.events(actor.userId)).toHaveLength(1);
    expect((await rewards.balance(actor)).available).toBe('100');
  });

  it('adds up the amounts of twenty rewards that are claimed concurrently', async () => {
    const granted = await Promise.all(Array.from({ length: 20 }, () => grant({ amount: '1.5' })));
    await Promise.all(granted.map(({ id }) => rewards.claim(actor, id)));
    expect((await rewards.balance(actor)).available).toBe('30');
  });

  it.each([
    ['PENDING', PENDING],
    ['EXPIRED', EXPIRED],
  ] as const)(
    'that is %s is rejected with that state, without changing the balance',
    async (state, columns) => {
      const { id, uuid } = await grant(columns);
      await expect(rewards.claim(actor, id)).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ state }],
      });
      expect(await postingsOf(uuid)).toEqual([]);
      expect((await rewards.balance(actor)).available).toBe('0');
    },
  );

  it('before its expiry keeps its status CLAIMED after the expiry', async () => {
    const { id, uuid } = await grant({ claimable: '-2 hours', expires: '1 hour' });
    await rewards.claim(actor, id);
    await core.rows("UPDATE rewards SET expires_at = now() - interval '1 hour' WHERE id = $1", uuid);
    expect((await list()).items).toMatchObject([{ status: 'CLAIMED' }]);
    await expect(rewards.claim(actor, id)).rejects.toMatchObject({ details: [{ state: 'CLAIMED' }] });
  });

  it('fails with not_found for a reward of another user, an unknown id and an invalid id', async () => {
    const { id, uuid } = await grant({}, await core.actor());
    for (const unknownId of [id, encodeId('rwd', newUuid()), encodeId('wdr', uuid), 'rwd_', uuid]) {
      await expect(rewards.claim(actor, unknownId)).rejects.toMatchObject({ code: 'not_found', details: [] });
    }
    expect(await postingsOf(uuid)).toEqual([]);
  });

  it('requires WITHDRAW; reading rewards does not', async () => {
    const trader = await core.actor('READ', 'TRADE');
    const { id } = await grant({}, trader);
    await expect(rewards.claim(trader, id)).rejects.toMatchObject({
      code: 'permission_denied',
      details: [{ permission: 'WITHDRAW' }],
    });
    expect((await list('', trader)).items).toMatchObject([{ status: 'CLAIMABLE' }]);
    const withdrawer = {
      ...trader,
      credential: { ...trader.credential, permissions: ['WITHDRAW'] as const },
    };
    await expect(rewards.claim(withdrawer, id)).resolves.toMatchObject({ status: 'CLAIMED' });
  });

  it('returns the stored response if its Idempotency-Key was already used', async () => {
    const { id } = await grant();
    const repeated = { ...actor, idempotency: core.idempotencyContext(actor.userId, 'claim-1') };
    const claimed = await rewards.claim(repeated, id);
    const replay = await rewards.claim(repeated, id).catch((error) => error);
    expect(replay).toBeInstanceOf(ResponseReplayed);
    expect(JSON.parse(replay.response.body.toString())).toEqual(claimed);
  });
});

describe('listing rewards', () => {
  it('computes the status of each reward from its times and filters by it', async () => {
    const [pending, claimable, expired, claimed] = [
      await grant(PENDING),
      await grant({ expires: '1 hour' }),
      await grant(EXPIRED),
      await grant(),
    ];
    await rewards.claim(actor, claimed.id);
    expect(await idsOf('status=PENDING')).toEqual([pending.id]);
    expect(await idsOf('status=CLAIMABLE')).toEqual([claimable.id]);
    expect(await idsOf('status=EXPIRED')).toEqual([expired.id]);
    expect(await idsOf('status=CLAIMED')).toEqual([claimed.id]);
    const all = (await list('order=asc')).items;
    expect(all.map(({ status }) => status)).toEqual(['PENDING', 'CLAIMABLE', 'EXPIRED', 'CLAIMED']);
    for (const reward of all) expect(rewardSchema.parse(reward)).toEqual(reward);
  });

  it('filters by type, and rejects an unknown type', async () => {
    await grant();
    const { id } = await grant({ type: 'FIRST_TRADE' });
    const type = encodeId('rwt', types.FIRST_TRADE ?? '');
    expect(await idsOf(`type_id=${type}`)).toEqual([id]);
    expect(await idsOf(`type_id=${type}&status=CLAIMED`)).toEqual([]);
    for (const unknownId of [encodeId('rwt', newUuid()), 'rwt_', encodeId('rwd', types.SIGN_UP ?? '')]) {
      await expect(list(`type_id=${unknownId}`)).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: 'type_id', code: 'not_found' }],
      });
    }
  });

  it('returns each reward of the user once over all pages, in every sort order, and none of other users', async () => {
    const other = await core.actor();
    for (let index = 0; index < 7; index++) {
      await grant({ amount: String(1 + (index % 3)), claimable: `${index % 2} minutes` });
      await grant({}, other);
    }
    for (const sort of ['created_at', 'claimable_at', 'amount']) {
      const listedIds: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await list(`limit=2&sort=${sort}${cursor}`);
        listedIds.push(...page.items.map(({ id }) => id));
        if (page.pagination.next_cursor === null) break;
        cursor = `&cursor=${page.pagination.next_cursor}`;
      }
      expect(new Set(listedIds).size).toBe(7);
      expect(listedIds).toHaveLength(7);
      expect(listedIds).toEqual(await idsOf(`sort=${sort}`));
    }
    const { next_cursor } = (await list('limit=2')).pagination;
    await expect(list(`limit=2&cursor=${next_cursor}`, other)).rejects.toMatchObject({
      code: 'invalid_query',
    });
  });
});

describe('loading rewards by their ids', () => {
  it('returns them in input order with one statement; null for unknown ids and other users’ rewards', async () => {
    const [claimable, expired] = [await grant(), await grant(EXPIRED)];
    const otherUsersReward = await grant({}, await core.actor());
    const listed = new Map((await list()).items.map((reward) => [reward.id, reward]));
    const requested = [
      expired.id,
      otherUsersReward.id,
      claimable.id,
      encodeId('rwd', newUuid()),
      'rwd_',
      expired.id,
    ];
    const expected = requested.map((id) => listed.get(id) ?? null);
    expect(expected.map((reward) => reward?.status)).toEqual([
      'EXPIRED',
      undefined,
      'CLAIMABLE',
      undefined,
      undefined,
      'EXPIRED',
    ]);
    expect(await rewards.getMany(actor, requested)).toEqual(expected);
    const read = () => rewards.getMany(actor, requested);
    expect(await countStatements(core.platform.database, read)).toBe(1);
    expect(await rewards.getMany(actor, ['rwd_'])).toEqual([null]);
    await expect(rewards.getMany(withoutPermissions(), requested)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('reward types', () => {
  it('are loaded in input order with one statement, for every user', async () => {
    const [first, second] = (await listTypes('sort=code&order=asc')).items;
    const requested = [second!.id, encodeId('rwt', newUuid()), first!.id, 'rwt_', second!.id];
    expect(await rewards.getManyTypes(actor, requested)).toEqual([second, null, first, null, second]);
    const read = () => rewards.getManyTypes(actor, requested);
    expect(await countStatements(core.platform.database, read)).toBe(1);
    expect(await rewards.getManyTypes(actor, ['rwt_'])).toEqual([null]);
    await expect(rewards.getManyTypes(withoutPermissions(), requested)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('are listed with the amounts of the test world', async () => {
    expect((await listTypes('sort=code&order=asc')).items).toMatchObject([
      { code: 'FIRST_TRADE', rule: { basis: 'FLAT', rate: '50' }, is_active: true },
      { code: 'SIGN_UP', rule: { basis: 'FLAT', rate: '100' }, is_active: true },
    ]);
    const { items, pagination } = await listTypes('limit=1');
    expect(items).toHaveLength(1);
    expect((await listTypes(`limit=1&cursor=${pagination.next_cursor}`)).items[0]?.id).not.toBe(items[0]?.id);
  });
});

describe('the balance', () => {
  it('is zero before the first claim, and separate for each user', async () => {
    const other = await core.actor();
    await rewards.claim(other, (await grant({}, other)).id);
    expect(await rewards.balance(actor)).toEqual({ currency: 'SVC-TEST', available: '0', held: '0' });
  });
});
