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
import type { CredentialsReport } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../access/index.js';
import { AnswerReplayed } from '../commands.js';
import { querySchemaOf } from '../lists.js';
import { generateSealingKeyPair, Opener, Sealer } from '../sealing/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { ExchangeAccountsService, ExchangeSecrets } from './exchange-accounts.service.js';
import { VenueCatalogue } from './venue-catalogue.service.js';
import { credentialsContext, serveWorkerCall } from './worker-calls.js';

const SECRET = 'a-secret-that-nobody-may-read';
const paper = { id: 'paper', name: 'Paper Exchange', tradingTypes: ['spot'] } as const;

let core: CoreUnderTest;
let accounts: ExchangeAccountsService;
let catalogue: VenueCatalogue;
let opener: Opener;
let actor: Actor;
let worker: { stop(): Promise<void> };
/** What the exchange says of credentials, next and from then on. */
let report: () => CredentialsReport;
let asked: { opened: string; exchange: string; trading_type: string }[];

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const keys = await generateSealingKeyPair();
  opener = await Opener.with([keys]);
  const secrets = new ExchangeSecrets(await Sealer.for(keys));
  const { platform, lists, commands } = core;
  accounts = new ExchangeAccountsService({ platform, lists, commands, secrets });
  catalogue = new VenueCatalogue(platform);
  await catalogue.offer([paper]);
  worker = serveWorkerCall(
    await core.another(),
    'exchange_account.test',
    async ({ sealed, context, exchange, trading_type }) => {
      asked.push({ opened: await opener.open(sealed, context), exchange, trading_type });
      return report();
    },
    () => undefined,
  );
});
afterAll(async () => {
  await worker.stop();
  await core.close();
});
beforeEach(async () => {
  actor = await core.actor();
  report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false, venueAccountId: '42' });
  asked = [];
});

const inputOf = (more: Record<string, unknown> = {}): ExchangeAccountCreate =>
  exchangeAccountCreate.parse({
    exchange: 'paper',
    trading_type: 'spot',
    account_name: 'mine',
    credentials: { api_key: 'the-key', api_secret: SECRET, passphrase: 'the-phrase' },
    ...more,
  });
const create = (more: Record<string, unknown> = {}) => accounts.create(actor, inputOf(more));
const rowsOf = () => core.rows('SELECT * FROM exchange_accounts WHERE user_id = $1', actor.userId);
type Query = Parameters<ExchangeAccountsService['list']>[1];
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
    expect(asked).toEqual([{ opened: text, exchange: 'paper', trading_type: 'spot' }]);
    const [row] = await rowsOf();
    const sealed = String(row?.credentials_sealed);
    expect(await opener.open(sealed, credentialsContext(String(row?.id)))).toBe(text);
    await expect(opener.open(sealed, credentialsContext(newUuid()))).rejects.toThrow();
    expect(row).toMatchObject({ venue_account_id: '42', sync_served_at: null });
    expect(row?.sync_requested_at).not.toBeNull();
  });

  it('leaves the credentials nowhere in the clear', async () => {
    await create();
    const tables = await core.rows(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for (const { name } of tables) {
      for (const { row } of await core.rows(`SELECT t::text AS row FROM "${name}" t`)) {
        expect(row).not.toContain(SECRET);
        expect(row).not.toContain(Buffer.from(SECRET).toString('hex'));
      }
    }
  });

  it('is refused, and keeps nothing, where the exchange refuses the credentials or is away', async () => {
    for (const code of ['exchange_credentials_rejected', 'exchange_unavailable'] as const) {
      report = () => {
        throw new DomainError(code);
      };
      await expect(create()).rejects.toMatchObject({ code });
      await expect(accounts.test(actor, inputOf())).rejects.toMatchObject({ code });
    }
    expect(await rowsOf()).toEqual([]);
  });

  it('takes credentials that may withdraw only when told to, and shows it then', async () => {
    report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: true });
    await expect(create()).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'credentials', code: 'may_withdraw' }],
    });
    expect(await rowsOf()).toEqual([]);
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
    expect(asked).toEqual([]);
  });

  it('with an Idempotency-Key that comes again makes no second account', async () => {
    const again = { ...actor, once: core.once(actor.userId, 'key-1') };
    await accounts.create(again, inputOf());
    await expect(accounts.create(again, inputOf())).rejects.toBeInstanceOf(AnswerReplayed);
    expect(await rowsOf()).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it('stops at 100, however many are asked for at once', async () => {
    for (let i = 0; i < 98; i++) await core.account(actor);
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => create()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'limit_reached' });
    }
    expect(await rowsOf()).toHaveLength(100);
  });
});

describe('testing credentials', () => {
  it('tells what they may do, and keeps nothing of them', async () => {
    const told: CredentialsTestResult = await accounts.test(actor, inputOf());
    expect(told).toEqual({ ok: true, trading_types: ['spot'], can_trade: true, can_withdraw: false });
    expect(await rowsOf()).toEqual([]);
  });
});

describe('removing an account', () => {
  it('takes its credentials at once; its trades stay, and it is nowhere to be found', async () => {
    const { id } = await create();
    await expect(accounts.delete(actor, id)).resolves.toEqual({ id, deleted: true });
    const [row] = await rowsOf();
    expect(row).toMatchObject({ credentials_sealed: null, is_active: false });
    for (const attempt of [
      () => accounts.get(actor, id),
      () => accounts.sync(actor, id),
      () => accounts.delete(actor, id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await accounts.list(actor, asking())).items).toEqual([]);
  });

  it('happens once of several times at once', async () => {
    const { id } = await create();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => accounts.delete(actor, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' });
    }
  });

  it('is refused while a trade is open, and possible once it has ended', async () => {
    const account = await core.account(actor);
    const pair = await core.pair({ base: 'OPEN' });
    const tradeId = newUuid();
    await core.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
         origin, type, side, reduce_only, time_in_force, amount, reserved_asset, reserved_amount, status, look_at)
       VALUES ($1, $2, $3, $4, 'OPEN/USDT', 'spot', 'mine', 'API', 'MARKET', 'BUY', false, 'GTC', 1, 'USDT', 1,
         'PENDING', now())`,
      tradeId,
      actor.userId,
      account.uuid,
      pair.uuid,
    );
    for (const status of ['PENDING', 'PARTIALLY_FILLED']) {
      await core.rows('UPDATE trades SET status = $2 WHERE id = $1', tradeId, status);
      await expect(accounts.delete(actor, account.id)).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ state: 'OPEN_TRADES' }],
      });
    }
    expect((await rowsOf())[0]).toMatchObject({ credentials_sealed: 'sealed', is_active: true });
    await core.rows("UPDATE trades SET status = 'FILLED' WHERE id = $1", tradeId);
    await expect(accounts.delete(actor, account.id)).resolves.toMatchObject({ deleted: true });
  });
});

describe('asking for a look', () => {
  it('is noted for the worker, and refused for an account whose credentials were refused', async () => {
    const active = await core.account(actor);
    await core.rows('UPDATE exchange_accounts SET sync_requested_at = NULL WHERE id = $1', active.uuid);
    await expect(accounts.sync(actor, active.id)).resolves.toMatchObject({ id: active.id });
    const [row] = await rowsOf();
    expect(row?.sync_requested_at).not.toBeNull();
    const refused = await core.account(actor, {}, { isActive: false });
    await expect(accounts.sync(actor, refused.id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'INACTIVE' }],
    });
  });
});

describe("another user's accounts", () => {
  it('are not there, and answer as ids that nobody has', async () => {
    const { id } = await core.account(actor);
    const other = await core.actor();
    for (const named of [id, encodeId('exa', newUuid()), 'exa_nonsense']) {
      for (const attempt of [
        () => accounts.get(other, named),
        () => accounts.update(other, named, exchangeAccountUpdate.parse({ account_name: 'theirs' })),
        () => accounts.sync(other, named),
        () => accounts.delete(other, named),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ code: 'not_found', details: [] });
      }
    }
    expect((await accounts.list(other, asking())).items).toEqual([]);
  });

  it('may not be made, changed or removed by a credential that only reads', async () => {
    const { id } = await core.account(actor);
    const reader = { ...actor, credential: { ...actor.credential, permissions: ['READ'] as const } };
    await expect(accounts.get(reader, id)).resolves.toMatchObject({ id });
    for (const attempt of [
      () => accounts.create(reader, inputOf()),
      () => accounts.test(reader, inputOf()),
      () => accounts.update(reader, id, exchangeAccountUpdate.parse({})),
      () => accounts.sync(reader, id),
      () => accounts.delete(reader, id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});

describe('the exchanges on offer', () => {
  it('are those of the workers: new ones come, changed ones change, others stay listed as inactive', async () => {
    const shown = async () =>
      (await accounts.supported(asking('sort=name&order=asc', 'supported'))).items.map(
        ({ id, name, trading_types, is_active }) => [id, name, trading_types, is_active],
      );
    await catalogue.offer([paper, { id: 'other', name: 'Other', tradingTypes: ['spot', 'perpetual'] }]);
    expect(await shown()).toEqual([
      ['other', 'Other', ['spot', 'perpetual'], true],
      ['paper', 'Paper Exchange', ['spot'], true],
    ]);
    await catalogue.offer([{ ...paper, name: 'Paper' }]);
    expect(await shown()).toEqual([
      ['other', 'Other', ['spot', 'perpetual'], false],
      ['paper', 'Paper', ['spot'], true],
    ]);
    await expect(create({ exchange: 'other' })).rejects.toMatchObject({ details: [{ code: 'not_offered' }] });
    await catalogue.offer([paper]);
  });
});
