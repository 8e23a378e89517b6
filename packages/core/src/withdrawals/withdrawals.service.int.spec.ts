import { createHash } from 'node:crypto';
import {
  encodeId,
  type WithdrawalCreate,
  withdrawalCreate,
  withdrawalOperations,
  withdrawal as withdrawalSchema,
} from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';

import { Ledger } from '../ledger/index.js';
import { type Actor, querySchemaOf, ResponseReplayed } from '../operations/index.js';
import { CoreUnderTest, countStatements, OPEN_WITHDRAWAL_POLICY } from '../testing/index.js';
import type { WithdrawalPolicy } from './withdrawal.rules.js';
import { WithdrawalsService } from './withdrawals.service.js';

let core: CoreUnderTest;
let ledger: Ledger;
let withdrawals: WithdrawalsService;
let actor: Actor;

const ADDRESS = `0x${createHash('sha256').update('wallet').digest('hex').slice(0, 40)}`;
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

beforeAll(async () => {
  core = await CoreUnderTest.open();
  ledger = new Ledger(core.platform);
  withdrawals = createService('0');
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
});

const createService = (fee: string, policy: Partial<WithdrawalPolicy> = {}) => {
  const { platform, lists, commands } = core;
  return new WithdrawalsService({
    platform,
    lists,
    commands,
    ledger,
    fee,
    policy: { ...OPEN_WITHDRAWAL_POLICY, ...policy },
  });
};
const addBalance = (amount: string, user = actor) =>
  inTransaction(core.platform.database, (tx) =>
    ledger.post(tx, {
      fact: 'reward.claimed',
      subjectId: newUuid(),
      from: { kind: 'issuance' },
      to: { kind: 'available', userId: user.userId },
      amount,
    }),
  );
const inputOf = (more: Record<string, unknown> = {}): WithdrawalCreate =>
  withdrawalCreate.parse({ amount: '10', wallet_address: ADDRESS, ...more });
const create = (more: Record<string, unknown> = {}, user = actor) => withdrawals.create(user, inputOf(more));
const list = (query = '', user = actor) =>
  withdrawals.list(
    user,
    querySchemaOf(withdrawalOperations.list).parse(
      Object.fromEntries(new URLSearchParams(query)),
    ) as Parameters<WithdrawalsService['list']>[1],
  );
const balance = (user = actor) => ledger.balance(user.userId);
const eventTypes = async (user = actor) => (await core.events(user.userId)).map(({ type }) => type);

describe('creating a withdrawal', () => {
  it('holds the amount, emits an event, and reports that payouts are not processed yet', async () => {
    await addBalance('25');
    const created = await create({ amount: '10.5', wallet_address: CHECKSUMMED });
    expect(withdrawalSchema.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      amount: '10.5',
      fee: '0',
      net_amount: '10.5',
      currency: 'SVC-TEST',
      network: 'sepolia',
      wallet_address: CHECKSUMMED,
      status: 'PENDING',
      status_reason: expect.stringContaining('Payouts are not processed yet'),
      requested_at: created.created_at,
    });
    expect(await balance()).toEqual({ available: '14.5', held: '10.5' });
    expect(await withdrawals.get(actor, created.id)).toEqual(created);
    expect((await list()).items).toEqual([created]);
    expect(await core.events(actor.userId)).toMatchObject([
      { type: 'withdrawal.created', data: { id: created.id, amount: 10.5, status: 'PENDING' } },
    ]);
  });

  it('of the whole balance succeeds for one of twenty concurrent requests; the others fail for lack of balance', async () => {
    await addBalance('100');
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => create({ amount: '100' })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toMatchObject({
        code: 'insufficient_balance',
        details: [{ field: 'amount', needed: '100', free: '0' }],
      });
    }
    expect(await balance()).toEqual({ available: '0', held: '100' });
    expect((await list()).items).toHaveLength(1);
    expect(await eventTypes()).toEqual(['withdrawal.created']);
  });

  it('succeeds for as many concurrent requests as the balance permits', async () => {
    await addBalance('100');
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => create({ amount: '30' })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await balance()).toEqual({ available: '10', held: '90' });
  });

  it('fails and holds nothing if the amount exceeds the balance, even in the 18th decimal', async () => {
    await expect(create()).rejects.toMatchObject({ code: 'insufficient_balance' });
    await addBalance('10');
    await expect(create({ amount: '10.000000000000000001' })).rejects.toMatchObject({
      code: 'insufficient_balance',
      details: [{ free: '10' }],
    });
    expect(await balance()).toEqual({ available: '10', held: '0' });
    expect((await list()).items).toEqual([]);
    expect(await eventTypes()).toEqual([]);
  });

  it('deducts the fee from the amount, and fails if the amount is not above the fee', async () => {
    const withdrawalsWithFee = createService('1.5');
    await addBalance('10');
    expect(await withdrawalsWithFee.create(actor, inputOf({ amount: '4' }))).toMatchObject({
      amount: '4',
      fee: '1.5',
      net_amount: '2.5',
    });
    for (const amount of ['1.5', '0.1']) {
      await expect(withdrawalsWithFee.create(actor, inputOf({ amount }))).rejects.toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'amount', code: 'not_above_fee', fee: '1.5' }],
      });
    }
    expect(await balance()).toEqual({ available: '6', held: '4' });
  });

  it('fails for an address with an invalid checksum', async () => {
    await addBalance('10');
    const mistyped = CHECKSUMMED.replace('5aA', '5AA');
    await expect(create({ wallet_address: mistyped })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'wallet_address', code: 'bad_checksum' }],
    });
    expect(await balance()).toEqual({ available: '10', held: '0' });
  });

  it('holds the amount once if its Idempotency-Key is used twice', async () => {
    await addBalance('100');
    const repeated = { ...actor, idempotency: core.idempotencyContext(actor.userId, 'withdraw-1') };
    const created = await create({}, repeated);
    const replay = await create({}, repeated).catch((error) => error);
    expect(replay).toBeInstanceOf(ResponseReplayed);
    expect(JSON.parse(replay.response.body.toString())).toEqual(created);
    expect(await balance()).toEqual({ available: '90', held: '10' });
  });
});

describe('an address that receives no payout', () => {
  it.each([
    ['zero_address', `0x${'0'.repeat(40)}`],
    ['treasury_address', CHECKSUMMED],
  ])('is refused with the code %s, and nothing is held', async (code, wallet_address) => {
    await addBalance('25');
    const service = createService('0', { treasuryAddress: CHECKSUMMED.toLowerCase() });
    await expect(service.create(actor, inputOf({ wallet_address }))).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'wallet_address', code }],
    });
    expect(await balance()).toEqual({ available: '25', held: '0' });
  });
});

describe('the input schema of a withdrawal', () => {
  const invalidFieldsOf = (body: Record<string, unknown>) =>
    withdrawalCreate.safeParse(body).error?.issues.map(({ path }) => path.join('.')) ?? [];

  it.each([
    ['an input without an address', undefined],
    ['an address with a missing digit', ADDRESS.slice(0, -1)],
    ['an address with an additional digit', `${ADDRESS}0`],
    ['an address without a prefix', ADDRESS.slice(2)],
    ['an upper-case prefix', ADDRESS.replace('0x', '0X')],
    ['an address with a letter that is not hex', `${ADDRESS.slice(0, -1)}g`],
    ['a name instead of an address', 'somebody.eth'],
    ['an address with a trailing line break', `${ADDRESS}\n`],
  ])('rejects %s', (_case, wallet_address) => {
    expect(invalidFieldsOf({ amount: 1, wallet_address })).toContain('wallet_address');
  });

  it('rejects an amount that is malformed, not above zero or finer than 18 decimals, and unknown fields', () => {
    for (const amount of [0, -1, '0.0000000000000000001', 'all', null])
      expect(invalidFieldsOf({ amount, wallet_address: ADDRESS })).toContain('amount');
    expect(withdrawalCreate.safeParse({ amount: 1, wallet_address: ADDRESS, fee: 0 }).success).toBe(false);
  });
});

describe('cancelling a withdrawal', () => {
  it('releases the held amount once, and emits an event', async () => {
    await addBalance('10');
    const { id } = await create();
    const cancelled = await withdrawals.cancel(actor, id);
    expect(withdrawalSchema.parse(cancelled)).toEqual(cancelled);
    expect(cancelled).toMatchObject({ id, status: 'CANCELLED', cancelled_at: expect.any(String) });
    expect(cancelled).not.toHaveProperty('status_reason');
    expect(await balance()).toEqual({ available: '10', held: '0' });
    await expect(withdrawals.cancel(actor, id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'CANCELLED' }],
    });
    expect(await eventTypes()).toEqual(['withdrawal.created', 'withdrawal.cancelled']);
  });

  it('succeeds for one of twenty concurrent requests', async () => {
    await addBalance('10');
    const { id } = await create();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => withdrawals.cancel(actor, id)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await balance()).toEqual({ available: '10', held: '0' });
  });

  it('neither loses nor creates tokens while other withdrawals are created', async () => {
    await addBalance('100');
    const open = await Promise.all(Array.from({ length: 10 }, () => create({ amount: '10' })));
    await Promise.allSettled(
      open.flatMap(({ id }) => [withdrawals.cancel(actor, id), create({ amount: '10' })]),
    );
    const pending = (await list('status=PENDING&limit=100')).items;
    expect(await balance()).toEqual({
      available: String(100 - 10 * pending.length),
      held: String(10 * pending.length),
    });
  });

  it.each(['PROCESSING', 'COMPLETED', 'FAILED'])(
    'fails for a withdrawal that is %s, and returns that state',
    async (state) => {
      await addBalance('10');
      const { id } = await create();
      await core.rows('UPDATE withdrawals SET status = $2 WHERE user_id = $1', actor.userId, state);
      await expect(withdrawals.cancel(actor, id)).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ state }],
      });
      expect(await balance()).toEqual({ available: '0', held: '10' });
    },
  );
});

describe('two users', () => {
  it("cannot read or cancel each other's withdrawals", async () => {
    const other = await core.actor();
    await addBalance('10', other);
    const { id } = await create({}, other);
    const unknown = encodeId('wdr', newUuid());
    for (const unknownId of [id, unknown, 'wdr_', id.replace('wdr', 'rwd')]) {
      await expect(withdrawals.get(actor, unknownId)).rejects.toMatchObject({
        code: 'not_found',
        details: [],
      });
      await expect(withdrawals.cancel(actor, unknownId)).rejects.toMatchObject({
        code: 'not_found',
        details: [],
      });
    }
    expect((await list()).items).toEqual([]);
    await expect(create()).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await balance(other)).toEqual({ available: '0', held: '10' });
    await addBalance('1', other);
    await create({ amount: '1' }, other);
    const { next_cursor } = (await list('limit=1', other)).pagination;
    await expect(list(`limit=1&cursor=${next_cursor}`)).rejects.toMatchObject({ code: 'invalid_query' });
  });
});

describe('the permission WITHDRAW', () => {
  it('is required to create and cancel; other permissions can only read', async () => {
    for (const permissions of [['READ'], ['TRADE'], ['READ', 'TRADE']] as const) {
      const reader = await core.actor(...permissions);
      await expect(create({}, reader)).rejects.toMatchObject({
        code: 'permission_denied',
        details: [{ permission: 'WITHDRAW' }],
      });
      await expect(withdrawals.cancel(reader, encodeId('wdr', newUuid()))).rejects.toMatchObject({
        code: 'permission_denied',
      });
      expect((await list('', reader)).items).toEqual([]);
    }
    const withdrawer = await core.actor('WITHDRAW');
    await addBalance('10', withdrawer);
    await expect(create({}, withdrawer)).resolves.toMatchObject({ status: 'PENDING' });
  });
});

describe('loading withdrawals by their ids', () => {
  it('returns them in input order with one statement; null for unknown ids and other users’ withdrawals', async () => {
    await addBalance('10');
    const [first, second] = [await create({ amount: '1' }), await create({ amount: '2' })];
    const other = await core.actor();
    await addBalance('10', other);
    const otherUsersWithdrawal = await create({}, other);
    const requested = [
      second.id,
      otherUsersWithdrawal.id,
      first.id,
      encodeId('wdr', newUuid()),
      'wdr_',
      second.id,
    ];
    const expected = [second, null, first, null, null, second];
    expect(await withdrawals.getMany(actor, requested)).toEqual(expected);
    const read = () => withdrawals.getMany(actor, requested);
    expect(await countStatements(core.platform.database, read)).toBe(1);
    expect(await withdrawals.getMany(actor, ['wdr_'])).toEqual([null]);
    const withoutPermissions: Actor = { ...actor, credential: { ...actor.credential, permissions: [] } };
    await expect(withdrawals.getMany(withoutPermissions, requested)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('listing withdrawals', () => {
  it('returns each withdrawal once over all pages, in every sort order, and filters by status', async () => {
    await addBalance('100');
    const created = [];
    for (const amount of ['3', '1', '2', '1', '3']) created.push(await create({ amount }));
    await withdrawals.cancel(actor, created[0]!.id);
    for (const sort of ['created_at', 'amount', 'updated_at']) {
      const listedIds: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await list(`limit=2&order=asc&sort=${sort}${cursor}`);
        listedIds.push(...page.items.map(({ id }) => id));
        if (page.pagination.next_cursor === null) break;
        cursor = `&cursor=${page.pagination.next_cursor}`;
      }
      expect(listedIds.toSorted()).toEqual(created.map(({ id }) => id).toSorted());
    }
    expect((await list('status=CANCELLED')).items.map(({ id }) => id)).toEqual([created[0]!.id]);
    expect((await list('status=PENDING&sort=amount&order=desc')).items.map(({ amount }) => amount)).toEqual([
      '3',
      '2',
      '1',
      '1',
    ]);
  });
});
