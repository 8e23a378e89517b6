import {
  type CredentialsTestResult,
  DomainError,
  type ExchangeAccountCreate,
  encodeId,
  exchangeAccount,
  exchangeAccountCreate,
  exchangeAccountOperations,
  exchangeAccountUpdate,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, AnswerReplayed, querySchemaOf } from '../operations/index.js';
import { statementsOf } from '../testing/index.js';
import { AccountsUnderTest, PAPER } from './testing/accounts-under-test.js';
import { credentialsContext } from './worker-calls.js';

const SECRET = 'a-secret-that-nobody-may-read';

let the: AccountsUnderTest;
beforeAll(async () => {
  the = await AccountsUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());

const inputOf = (more: Record<string, unknown> = {}): ExchangeAccountCreate =>
  exchangeAccountCreate.parse({
    exchange: 'paper',
    trading_type: 'spot',
    account_name: 'mine',
    credentials: { api_key: 'the-key', api_secret: SECRET, passphrase: 'the-phrase' },
    ...more,
  });
const create = (more: Record<string, unknown> = {}) => the.accounts.create(the.actor, inputOf(more));
type Query = Parameters<AccountsUnderTest['accounts']['list']>[1];
const asking = (text = '', operation: keyof typeof exchangeAccountOperations = 'list') =>
  querySchemaOf(exchangeAccountOperations[operation]).parse(
    Object.fromEntries(new URLSearchParams(text)),
  ) as Query;

describe('connecting an account', () => {
  it('tests the credentials, keeps them sealed to the worker and to their place, and asks for a first look', async () => {
    const created = await create();
    expect(exchangeAccount.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      exchange_name: 'paper',
      account_name: 'mine',
      trading_type: 'spot',
      is_active: true,
      can_withdraw: false,
      balance: {},
      last_sync_at: null,
    });
    const text = JSON.stringify({ apiKey: 'the-key', apiSecret: SECRET, passphrase: 'the-phrase' });
    expect(the.asked).toEqual([{ opened: text, exchange: 'paper', trading_type: 'spot' }]);
    const [row] = await the.rows();
    const sealed = String(row?.credentials_sealed);
    expect(await the.opener.open(sealed, credentialsContext(String(row?.id)))).toBe(text);
    await expect(the.opener.open(sealed, credentialsContext(newUuid()))).rejects.toThrow();
    expect(row).toMatchObject({ venue_account_id: '42', sync_served_at: null });
    expect(row?.sync_requested_at).not.toBeNull();
  });

  it('leaves the credentials nowhere in the clear', async () => {
    await create();
    const tables = await the.core.rows(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for (const { name } of tables) {
      for (const { row } of await the.core.rows(`SELECT t::text AS row FROM "${name}" t`)) {
        expect(row).not.toContain(SECRET);
        expect(row).not.toContain(Buffer.from(SECRET).toString('hex'));
      }
    }
  });

  it('is refused, and keeps nothing, where the exchange refuses the credentials or is away', async () => {
    for (const code of ['exchange_credentials_rejected', 'exchange_unavailable'] as const) {
      the.report = () => {
        throw new DomainError(code);
      };
      await expect(create()).rejects.toMatchObject({ code });
      await expect(the.accounts.test(the.actor, inputOf())).rejects.toMatchObject({ code });
    }
    expect(await the.rows()).toEqual([]);
  });

  it('takes credentials that may withdraw only when told to, and shows it then', async () => {
    the.report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: true });
    await expect(create()).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'credentials', code: 'may_withdraw' }],
    });
    expect(await the.rows()).toEqual([]);
    await expect(create({ allow_withdraw_keys: true })).resolves.toMatchObject({ can_withdraw: true });
  });

  it('asks no worker where the exchange or its kind of trading is not offered', async () => {
    await expect(create({ exchange: 'nowhere' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'exchange', code: 'not_offered' }],
    });
    await expect(create({ trading_type: 'perpetual' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'trading_type', code: 'not_offered' }],
    });
    expect(the.asked).toEqual([]);
  });

  it('with an Idempotency-Key that comes again makes no second account', async () => {
    const again = { ...the.actor, once: the.core.once(the.actor.userId, 'key-1') };
    await the.accounts.create(again, inputOf());
    await expect(the.accounts.create(again, inputOf())).rejects.toBeInstanceOf(AnswerReplayed);
    expect(await the.rows()).toHaveLength(1);
    expect(the.asked).toHaveLength(1);
  });

  it('stops at 100, however many are asked for at once', async () => {
    for (let i = 0; i < 98; i++) await the.core.account(the.actor);
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => create()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'limit_reached', details: [{ limit: 100 }] });
    }
    expect(await the.rows()).toHaveLength(100);
  });
});

describe('testing credentials', () => {
  it('tells what they may do, and keeps nothing of them', async () => {
    const told: CredentialsTestResult = await the.accounts.test(the.actor, inputOf());
    expect(told).toEqual({ ok: true, trading_types: ['spot'], can_trade: true, can_withdraw: false });
    expect(await the.rows()).toEqual([]);
  });
});

describe('removing an account', () => {
  it('takes its credentials at once; its trades stay, and it is nowhere to be found', async () => {
    const { id } = await create();
    await expect(the.accounts.delete(the.actor, id)).resolves.toEqual({ id, deleted: true });
    const [row] = await the.rows();
    expect(row).toMatchObject({ credentials_sealed: null, is_active: false });
    for (const attempt of [
      () => the.accounts.get(the.actor, id),
      () => the.accounts.sync(the.actor, id),
      () => the.accounts.delete(the.actor, id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await the.accounts.list(the.actor, asking())).items).toEqual([]);
  });

  it('happens once of several times at once', async () => {
    const { id } = await create();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => the.accounts.delete(the.actor, id)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' });
    }
  });

  it('is refused while a trade is open, and possible once it has ended', async () => {
    const account = await the.core.account(the.actor);
    const pair = await the.core.pair({ base: 'OPEN' });
    const tradeId = newUuid();
    await the.core.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
         origin, type, side, reduce_only, time_in_force, amount, reserved_asset, reserved_amount, status, look_at)
       VALUES ($1, $2, $3, $4, 'OPEN/USDT', 'spot', 'mine', 'API', 'MARKET', 'BUY', false, 'GTC', 1, 'USDT', 1,
         'PENDING', now())`,
      tradeId,
      the.actor.userId,
      account.uuid,
      pair.uuid,
    );
    for (const status of ['PENDING', 'PARTIALLY_FILLED']) {
      await the.core.rows('UPDATE trades SET status = $2 WHERE id = $1', tradeId, status);
      await expect(the.accounts.delete(the.actor, account.id)).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ state: 'OPEN_TRADES' }],
      });
    }
    expect((await the.rows())[0]).toMatchObject({ credentials_sealed: 'sealed', is_active: true });
    await the.core.rows("UPDATE trades SET status = 'FILLED' WHERE id = $1", tradeId);
    await expect(the.accounts.delete(the.actor, account.id)).resolves.toMatchObject({ deleted: true });
  });
});

describe('asking for a look', () => {
  it('is noted for the worker, and refused for an account whose credentials were refused', async () => {
    const active = await the.core.account(the.actor);
    await the.core.rows('UPDATE exchange_accounts SET sync_requested_at = NULL WHERE id = $1', active.uuid);
    await expect(the.accounts.sync(the.actor, active.id)).resolves.toMatchObject({ id: active.id });
    const [row] = await the.rows();
    expect(row?.sync_requested_at).not.toBeNull();
    const refused = await the.core.account(the.actor, {}, { isActive: false });
    await expect(the.accounts.sync(the.actor, refused.id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'INACTIVE' }],
    });
  });
});

describe('accounts by their ids', () => {
  it('stand at the places of these, read by one statement; nothing stands for what is not there', async () => {
    const [first, second, removed] = [
      await the.core.account(the.actor),
      await the.core.account(the.actor, { ETH: '1.5' }),
      await the.core.account(the.actor),
    ];
    await the.accounts.delete(the.actor, removed.id);
    const foreign = await the.core.account(await the.core.actor());
    const unknown = [encodeId('exa', newUuid()), 'exa_nonsense', ''];
    const asked = [second.id, foreign.id, removed.id, first.id, ...unknown, second.id];
    const [one, two] = [
      await the.accounts.get(the.actor, first.id),
      await the.accounts.get(the.actor, second.id),
    ];
    const expected = [two, null, null, one, null, null, null, two];
    expect(await the.accounts.getMany(the.actor, asked)).toEqual(expected);
    const look = () => the.accounts.getMany(the.actor, asked);
    expect(await statementsOf(the.core.platform.database, look)).toBe(1);
  });

  it('are not looked for where no id can be one of an account, or nobody may look', async () => {
    const look = () => the.accounts.getMany(the.actor, ['exa_nonsense', 'trd_01h455vb4pex5vsknk084sn02q']);
    expect(await look()).toEqual([null, null]);
    expect(await statementsOf(the.core.platform.database, look)).toBe(0);
    const { id } = await the.core.account(the.actor);
    const idle: Actor = { ...the.actor, credential: { ...the.actor.credential, permissions: [] } };
    await expect(the.accounts.getMany(idle, [id])).rejects.toMatchObject({ code: 'permission_denied' });
  });
});

describe("another user's accounts", () => {
  it('are not there, and answer as ids that nobody has', async () => {
    const { id } = await the.core.account(the.actor);
    const other = await the.core.actor();
    for (const named of [id, encodeId('exa', newUuid()), 'exa_nonsense']) {
      for (const attempt of [
        () => the.accounts.get(other, named),
        () => the.accounts.update(other, named, exchangeAccountUpdate.parse({ account_name: 'theirs' })),
        () => the.accounts.sync(other, named),
        () => the.accounts.delete(other, named),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ code: 'not_found', details: [] });
      }
    }
    expect((await the.accounts.list(other, asking())).items).toEqual([]);
  });

  it('may not be made, changed or removed by a credential that only reads', async () => {
    const { id } = await the.core.account(the.actor);
    const reader = { ...the.actor, credential: { ...the.actor.credential, permissions: ['READ'] as const } };
    await expect(the.accounts.get(reader, id)).resolves.toMatchObject({ id });
    for (const attempt of [
      () => the.accounts.create(reader, inputOf()),
      () => the.accounts.test(reader, inputOf()),
      () => the.accounts.update(reader, id, exchangeAccountUpdate.parse({})),
      () => the.accounts.sync(reader, id),
      () => the.accounts.delete(reader, id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});

describe('the exchanges on offer', () => {
  it('are those of the workers: new ones come, changed ones change, others stay listed as inactive', async () => {
    const shown = async () =>
      (await the.accounts.supported(asking('sort=name&order=asc', 'supported'))).items.map(
        ({ id, name, trading_types, is_active }) => [id, name, trading_types, is_active],
      );
    const other = {
      id: 'other',
      name: 'Other',
      tradingTypes: ['spot', 'perpetual'],
      isProven: true,
    } as const;
    await the.catalogue.offer([PAPER, other]);
    expect(await shown()).toEqual([
      ['other', 'Other', ['spot', 'perpetual'], true],
      ['paper', 'Paper Exchange', ['spot'], true],
    ]);
    await the.catalogue.offer([{ ...PAPER, name: 'Paper' }]);
    expect(await shown()).toEqual([
      ['other', 'Other', ['spot', 'perpetual'], false],
      ['paper', 'Paper', ['spot'], true],
    ]);
    await expect(create({ exchange: 'other' })).rejects.toMatchObject({ details: [{ code: 'not_offered' }] });
    await the.catalogue.offer([PAPER]);
  });

  it('take no accounts where nobody has proven that they work', async () => {
    await the.catalogue.offer([PAPER, { ...PAPER, id: 'unproven', isProven: false }]);
    const { items } = await the.accounts.supported(asking('sort=name&order=asc', 'supported'));
    expect(items).toContainEqual(expect.objectContaining({ id: 'unproven', is_active: false }));
    await expect(create({ exchange: 'unproven' })).rejects.toMatchObject({
      details: [{ code: 'not_offered' }],
    });
    await the.catalogue.offer([PAPER]);
  });
});
