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

import { type Actor, querySchemaOf, ResponseReplayed } from '../operations/index.js';
import { countStatements } from '../testing/index.js';
import { AccountsUnderTest, PAPER } from './testing/accounts-under-test.js';
import { credentialsContext } from './worker-calls.js';

const SECRET = 'a-secret-that-no-one-may-read';

let env: AccountsUnderTest;
beforeAll(async () => {
  env = await AccountsUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const inputOf = (overrides: Record<string, unknown> = {}): ExchangeAccountCreate =>
  exchangeAccountCreate.parse({
    exchange: 'paper',
    trading_type: 'spot',
    account_name: 'mine',
    credentials: { api_key: 'the-key', api_secret: SECRET, passphrase: 'the-phrase' },
    ...overrides,
  });
const create = (overrides: Record<string, unknown> = {}) =>
  env.accounts.create(env.actor, inputOf(overrides));
type Query = Parameters<AccountsUnderTest['accounts']['list']>[1];
const queryOf = (queryString = '', operation: keyof typeof exchangeAccountOperations = 'list') =>
  querySchemaOf(exchangeAccountOperations[operation]).parse(
    Object.fromEntries(new URLSearchParams(queryString)),
  ) as Query;

describe('connecting an account', () => {
  it('tests the credentials, seals them to the worker and their context, and requests a first sync', async () => {
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
    const serialized = JSON.stringify({ apiKey: 'the-key', apiSecret: SECRET, passphrase: 'the-phrase' });
    expect(env.recordedTests).toEqual([{ opened: serialized, exchange: 'paper', trading_type: 'spot' }]);
    const [row] = await env.rows();
    const sealed = String(row?.credentials_sealed);
    expect(await env.opener.open(sealed, credentialsContext(String(row?.id)))).toBe(serialized);
    await expect(env.opener.open(sealed, credentialsContext(newUuid()))).rejects.toThrow();
    expect(row).toMatchObject({ venue_account_id: '42', sync_served_at: null });
    expect(row?.sync_requested_at).not.toBeNull();
  });

  it('stores the credentials only in sealed form', async () => {
    await create();
    const tables = await env.core.rows(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for (const { name } of tables) {
      for (const { row } of await env.core.rows(`SELECT t::text AS row FROM "${name}" t`)) {
        expect(row).not.toContain(SECRET);
        expect(row).not.toContain(Buffer.from(SECRET).toString('hex'));
      }
    }
  });

  it('stores no account if the exchange rejects the credentials or is unavailable', async () => {
    for (const code of ['exchange_credentials_rejected', 'exchange_unavailable'] as const) {
      env.report = () => {
        throw new DomainError(code);
      };
      await expect(create()).rejects.toMatchObject({ code });
      await expect(env.accounts.test(env.actor, inputOf())).rejects.toMatchObject({ code });
    }
    expect(await env.rows()).toEqual([]);
  });

  it('accepts credentials that may withdraw only with allow_withdraw_keys, and then shows can_withdraw', async () => {
    env.report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: true });
    await expect(create()).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'credentials', code: 'may_withdraw' }],
    });
    expect(await env.rows()).toEqual([]);
    await expect(create({ allow_withdraw_keys: true })).resolves.toMatchObject({ can_withdraw: true });
  });

  it('accepts credentials whose right to withdraw is unknown only with allow_withdraw_keys', async () => {
    env.report = () => ({ tradingTypes: ['spot'], canTrade: null, canWithdraw: null });
    await expect(create()).rejects.toMatchObject({
      details: [
        { field: 'credentials', code: 'may_withdraw', message: expect.stringContaining('does not report') },
      ],
    });
    const tested = await env.accounts.test(env.actor, inputOf());
    expect(tested).toMatchObject({ can_trade: null, can_withdraw: null });
    await expect(create({ allow_withdraw_keys: true })).resolves.toMatchObject({
      can_trade: null,
      can_withdraw: null,
      is_active: true,
      inactive_reason: null,
    });
  });

  it.each([
    ['HEDGE_MODE', 'position_mode', 'one-way mode'],
    ['PORTFOLIO_MARGIN', 'portfolio_margin', 'cross margin'],
    ['ACCOUNT_TYPE', 'account_type', 'how to switch'],
  ] as const)(
    'refuses an account of a kind that cannot be traded, and says how to switch: %s',
    async (unsupported, code, fix) => {
      env.report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false, unsupported });
      const refusal = {
        code: 'validation_failed',
        details: [{ field: 'credentials', code, message: expect.stringContaining(fix) }],
      };
      await expect(create()).rejects.toMatchObject(refusal);
      await expect(env.accounts.test(env.actor, inputOf())).rejects.toMatchObject(refusal);
      expect(await env.rows()).toEqual([]);
    },
  );

  it('does not call the worker if the exchange or its trading type is not offered', async () => {
    await expect(create({ exchange: 'nowhere' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'exchange', code: 'not_offered' }],
    });
    await expect(create({ trading_type: 'perpetual' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'trading_type', code: 'not_offered' }],
    });
    expect(env.recordedTests).toEqual([]);
  });

  it('creates no second account for a repeated Idempotency-Key', async () => {
    const withKey = { ...env.actor, idempotency: env.core.idempotencyContext(env.actor.userId, 'key-1') };
    await env.accounts.create(withKey, inputOf());
    await expect(env.accounts.create(withKey, inputOf())).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await env.rows()).toHaveLength(1);
    expect(env.recordedTests).toHaveLength(1);
  });

  it('fails above 100 accounts of a user, even with concurrent requests', async () => {
    for (let i = 0; i < 98; i++) await env.core.account(env.actor);
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => create()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'limit_reached', details: [{ limit: 100 }] });
    }
    expect(await env.rows()).toHaveLength(100);
  });
});

describe('testing credentials', () => {
  it('returns their permissions and stores nothing', async () => {
    const result: CredentialsTestResult = await env.accounts.test(env.actor, inputOf());
    expect(result).toEqual({ ok: true, trading_types: ['spot'], can_trade: true, can_withdraw: false });
    expect(await env.rows()).toEqual([]);
  });
});

describe('removing an account', () => {
  it('deletes its credentials immediately, and the account is not found any more', async () => {
    const { id } = await create();
    await expect(env.accounts.delete(env.actor, id)).resolves.toEqual({ id, deleted: true });
    const [row] = await env.rows();
    expect(row).toMatchObject({ credentials_sealed: null, is_active: false });
    for (const attempt of [
      () => env.accounts.get(env.actor, id),
      () => env.accounts.sync(env.actor, id),
      () => env.accounts.delete(env.actor, id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await env.accounts.list(env.actor, queryOf())).items).toEqual([]);
  });

  it('succeeds for one of several concurrent requests', async () => {
    const { id } = await create();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => env.accounts.delete(env.actor, id)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' });
    }
  });

  it('is rejected while a trade is open, and succeeds once the trade has ended', async () => {
    const account = await env.core.account(env.actor);
    const pair = await env.core.pair({ base: 'OPEN' });
    const tradeId = newUuid();
    await env.core.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
         origin, type, side, reduce_only, time_in_force, amount, reserved_asset, reserved_amount, status, look_at)
       VALUES ($1, $2, $3, $4, 'OPEN/USDT', 'spot', 'mine', 'API', 'MARKET', 'BUY', false, 'GTC', 1, 'USDT', 1,
         'PENDING', now())`,
      tradeId,
      env.actor.userId,
      account.uuid,
      pair.uuid,
    );
    for (const status of ['PENDING', 'PARTIALLY_FILLED']) {
      await env.core.rows('UPDATE trades SET status = $2 WHERE id = $1', tradeId, status);
      await expect(env.accounts.delete(env.actor, account.id)).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ state: 'OPEN_TRADES' }],
      });
    }
    expect((await env.rows())[0]).toMatchObject({ credentials_sealed: 'sealed', is_active: true });
    await env.core.rows("UPDATE trades SET status = 'FILLED' WHERE id = $1", tradeId);
    await expect(env.accounts.delete(env.actor, account.id)).resolves.toMatchObject({ deleted: true });
  });
});

describe('requesting a sync', () => {
  it('stores the request for the worker, and fails for an inactive account', async () => {
    const active = await env.core.account(env.actor);
    await env.core.rows('UPDATE exchange_accounts SET sync_requested_at = NULL WHERE id = $1', active.uuid);
    await expect(env.accounts.sync(env.actor, active.id)).resolves.toMatchObject({ id: active.id });
    const [row] = await env.rows();
    expect(row?.sync_requested_at).not.toBeNull();
    const inactive = await env.core.account(env.actor, {}, { isActive: false });
    await expect(env.accounts.sync(env.actor, inactive.id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'INACTIVE' }],
    });
  });
});

describe('accounts by their ids', () => {
  it('are loaded in input order by one statement; ids that are not found give null', async () => {
    const [first, second, removed] = [
      await env.core.account(env.actor),
      await env.core.account(env.actor, { ETH: '1.5' }),
      await env.core.account(env.actor),
    ];
    await env.accounts.delete(env.actor, removed.id);
    const foreign = await env.core.account(await env.core.actor());
    const unknown = [encodeId('exa', newUuid()), 'exa_nonsense', ''];
    const ids = [second.id, foreign.id, removed.id, first.id, ...unknown, second.id];
    const [firstView, secondView] = [
      await env.accounts.get(env.actor, first.id),
      await env.accounts.get(env.actor, second.id),
    ];
    const expected = [secondView, null, null, firstView, null, null, null, secondView];
    expect(await env.accounts.getMany(env.actor, ids)).toEqual(expected);
    const load = () => env.accounts.getMany(env.actor, ids);
    expect(await countStatements(env.core.platform.database, load)).toBe(1);
  });

  it('are not queried if no id has the form of an account id; loading requires READ', async () => {
    const load = () => env.accounts.getMany(env.actor, ['exa_nonsense', 'trd_01h455vb4pex5vsknk084sn02q']);
    expect(await load()).toEqual([null, null]);
    expect(await countStatements(env.core.platform.database, load)).toBe(0);
    const { id } = await env.core.account(env.actor);
    const withoutPermissions: Actor = {
      ...env.actor,
      credential: { ...env.actor.credential, permissions: [] },
    };
    await expect(env.accounts.getMany(withoutPermissions, [id])).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('an account that the caller may not use', () => {
  it('is not found if it belongs to another user, like an unknown id', async () => {
    const { id } = await env.core.account(env.actor);
    const other = await env.core.actor();
    for (const publicId of [id, encodeId('exa', newUuid()), 'exa_nonsense']) {
      for (const attempt of [
        () => env.accounts.get(other, publicId),
        () => env.accounts.update(other, publicId, exchangeAccountUpdate.parse({ account_name: 'theirs' })),
        () => env.accounts.sync(other, publicId),
        () => env.accounts.delete(other, publicId),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ code: 'not_found', details: [] });
      }
    }
    expect((await env.accounts.list(other, queryOf())).items).toEqual([]);
  });

  it('can be read but not changed with a credential that has only READ', async () => {
    const { id } = await env.core.account(env.actor);
    const reader = { ...env.actor, credential: { ...env.actor.credential, permissions: ['READ'] as const } };
    await expect(env.accounts.get(reader, id)).resolves.toMatchObject({ id });
    for (const attempt of [
      () => env.accounts.create(reader, inputOf()),
      () => env.accounts.test(reader, inputOf()),
      () => env.accounts.update(reader, id, exchangeAccountUpdate.parse({})),
      () => env.accounts.sync(reader, id),
      () => env.accounts.delete(reader, id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});

const KEY_RIGHTS = { needed: ['Read', 'Trade'], refused: ['Withdraw'], notes: ['Keep the passphrase.'] };

describe('the offered exchanges', () => {
  it('are those that the workers publish: new ones are added, changed ones are updated, missing ones are deactivated', async () => {
    const readOffered = async () =>
      (await env.accounts.supported(queryOf('sort=name&order=asc', 'supported'))).items.map(
        ({ id, name, trading_types, is_active }) => [id, name, trading_types, is_active],
      );
    const other = {
      id: 'other',
      name: 'Other',
      tradingTypes: ['spot', 'perpetual'],
      stages: { spot: 'STABLE', perpetual: 'BETA' },
      credentialForm: { secret: 'EC_PRIVATE_KEY', hasPassphrase: true, permissions: { spot: KEY_RIGHTS } },
      isCertified: true,
    } as const;
    await env.catalogue.publish([PAPER, other]);
    expect(await readOffered()).toEqual([
      ['other', 'Other', ['spot', 'perpetual'], true],
      ['paper', 'Paper Exchange', ['spot'], true],
    ]);
    await env.catalogue.publish([{ ...PAPER, name: 'Paper' }]);
    expect(await readOffered()).toEqual([
      ['other', 'Other', ['spot', 'perpetual'], false],
      ['paper', 'Paper', ['spot'], true],
    ]);
    await expect(create({ exchange: 'other' })).rejects.toMatchObject({ details: [{ code: 'not_offered' }] });
    await env.catalogue.publish([PAPER]);
  });

  it('say which permissions a key needs, by trading type; rows of an earlier release have none', async () => {
    const other = {
      ...PAPER,
      id: 'other',
      tradingTypes: ['perpetual', 'spot'],
      credentialForm: { secret: 'HMAC_SECRET', hasPassphrase: true, permissions: { spot: KEY_RIGHTS } },
    } as const;
    await env.catalogue.publish([PAPER, other]);
    const readCredentials = async () => {
      const { items } = await env.accounts.supported(queryOf('sort=name&order=asc', 'supported'));
      return items.find(({ id }) => id === 'other')?.credentials;
    };
    const form = { secret: 'HMAC_SECRET', has_passphrase: true };
    expect(await readCredentials()).toEqual({
      ...form,
      permissions: [{ trading_type: 'spot', ...KEY_RIGHTS }],
    });
    await env.core.rows(
      `UPDATE supported_exchanges SET credential_form = credential_form - 'permissions' WHERE code = 'other'`,
    );
    expect(await readCredentials()).toEqual({ ...form, permissions: [] });
    await env.catalogue.publish([PAPER]);
  });

  it('accept no new accounts before the conformance suite has passed', async () => {
    await env.catalogue.publish([PAPER, { ...PAPER, id: 'unproven', isCertified: false }]);
    const { items } = await env.accounts.supported(queryOf('sort=name&order=asc', 'supported'));
    expect(items).toContainEqual(expect.objectContaining({ id: 'unproven', is_active: false }));
    await expect(create({ exchange: 'unproven' })).rejects.toMatchObject({
      details: [{ code: 'not_offered' }],
    });
    await env.catalogue.publish([PAPER]);
  });
});
