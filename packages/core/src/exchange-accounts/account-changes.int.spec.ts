import { DomainError, exchangeAccountCreate, exchangeAccountUpdate } from '@trading-automation/contracts';
import type { CredentialsReport } from '@trading-automation/exchanges';
import type { Actor } from '../access/index.js';
import { generateSealingKeyPair, Opener, Sealer } from '../sealing/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { ExchangeAccountsService, ExchangeSecrets } from './exchange-accounts.service.js';
import { VenueCatalogue } from './venue-catalogue.service.js';
import { credentialsContext, serveWorkerCall } from './worker-calls.js';

let core: CoreUnderTest;
let accounts: ExchangeAccountsService;
let opener: Opener;
let actor: Actor;
let worker: { stop(): Promise<void> };
/** What the exchange says of credentials, next and from then on. */
let report: () => CredentialsReport | Promise<CredentialsReport>;
let asked: { opened: string; exchange: string; trading_type: string }[];

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const keys = await generateSealingKeyPair();
  opener = await Opener.with([keys]);
  const secrets = new ExchangeSecrets(await Sealer.for(keys));
  const { platform, lists, commands } = core;
  accounts = new ExchangeAccountsService({ platform, lists, commands, secrets });
  await new VenueCatalogue(platform).offer([{ id: 'paper', name: 'Paper Exchange', tradingTypes: ['spot'] }]);
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

const create = () =>
  accounts.create(
    actor,
    exchangeAccountCreate.parse({
      exchange: 'paper',
      trading_type: 'spot',
      account_name: 'mine',
      credentials: { api_key: 'old-key', api_secret: 'old-secret' },
    }),
  );
const rowsOf = () => core.rows('SELECT * FROM exchange_accounts WHERE user_id = $1', actor.userId);

describe('changing an account', () => {
  const update = (id: string, more: Record<string, unknown>) =>
    accounts.update(actor, id, exchangeAccountUpdate.parse(more));
  const credentials = { api_key: 'new-key', api_secret: 'new-secret' };

  it('renames it without asking the exchange, and changes nothing where nothing is given', async () => {
    const created = await create();
    asked = [];
    expect(await update(created.id, {})).toEqual(created);
    expect(await update(created.id, { allow_withdraw_keys: true })).toEqual(created);
    const renamed = await update(created.id, { account_name: 'other' });
    expect(renamed).toEqual({ ...created, account_name: 'other', updated_at: renamed.updated_at });
    expect(await accounts.get(actor, created.id)).toEqual(renamed);
    expect(asked).toEqual([]);
  });

  it('takes new credentials once they are tested, seals them to the same place, and asks for a look', async () => {
    const created = await create();
    await core.rows(
      `UPDATE exchange_accounts SET is_active = false, sync_requested_at = NULL, sync_served_at = clock_timestamp(),
         balances = '{"USDT":{"free":"5","locked":"1"}}' WHERE user_id = $1`,
      actor.userId,
    );
    const [before] = await rowsOf();
    asked = [];
    const changed = await update(created.id, { credentials, account_name: 'other' });
    expect(changed).toMatchObject({
      id: created.id,
      account_name: 'other',
      is_active: true,
      balance: { USDT: '6' },
    });
    const text = JSON.stringify({ apiKey: 'new-key', apiSecret: 'new-secret' });
    expect(asked).toEqual([{ opened: text, exchange: 'paper', trading_type: 'spot' }]);
    const [row] = await rowsOf();
    expect(await opener.open(String(row?.credentials_sealed), credentialsContext(String(row?.id)))).toBe(
      text,
    );
    expect(row).toMatchObject({
      id: before?.id,
      venue_account_id: '42',
      sync_served_at: before?.sync_served_at,
    });
    expect(Number(row?.sync_requested_at)).toBeGreaterThanOrEqual(Number(before?.sync_served_at));
  });

  it('refuses credentials of another account at the exchange', async () => {
    const { id } = await create();
    const before = await rowsOf();
    report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false, venueAccountId: '43' });
    await expect(update(id, { credentials, account_name: 'other' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'credentials', code: 'other_account' }],
    });
    expect(await rowsOf()).toEqual(before);
  });

  it('learns which account it is where that was not known, and forgets it nowhere', async () => {
    const venueId = async () => (await rowsOf())[0]?.venue_account_id;
    report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false });
    const { id } = await create();
    expect(await venueId()).toBeNull();
    await update(id, { credentials });
    expect(await venueId()).toBeNull();
    report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false, venueAccountId: '43' });
    await update(id, { credentials });
    expect(await venueId()).toBe('43');
    report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false });
    await update(id, { credentials });
    expect(await venueId()).toBe('43');
  });

  it('takes credentials that may withdraw only when told to, and shows what they may', async () => {
    const { id } = await create();
    const before = await rowsOf();
    const canWithdraw = (is: boolean) => () =>
      ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: is, venueAccountId: '42' }) as const;
    report = canWithdraw(true);
    await expect(update(id, { credentials })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'credentials', code: 'may_withdraw' }],
    });
    expect(await rowsOf()).toEqual(before);
    const allowed = await update(id, { credentials, allow_withdraw_keys: true });
    expect(allowed).toMatchObject({ can_withdraw: true });
    report = canWithdraw(false);
    expect(await update(id, { credentials })).toMatchObject({ can_withdraw: false });
  });

  it('changes nothing where the exchange refuses the credentials or is away', async () => {
    const { id } = await create();
    const before = await rowsOf();
    for (const code of ['exchange_credentials_rejected', 'exchange_unavailable'] as const) {
      report = () => {
        throw new DomainError(code);
      };
      await expect(update(id, { credentials, account_name: 'other' })).rejects.toMatchObject({ code });
    }
    expect(await rowsOf()).toEqual(before);
  });

  it('asks no exchange with credentials for an account that is not there', async () => {
    const { id } = await create();
    await accounts.delete(actor, id);
    asked = [];
    await expect(update(id, { credentials })).rejects.toMatchObject({ code: 'not_found' });
    expect(asked).toEqual([]);
  });

  it('gives no credentials to an account that is removed while they are tested', async () => {
    const { id } = await create();
    const tested = report();
    report = async () => {
      await accounts.delete(actor, id);
      return tested;
    };
    await expect(update(id, { credentials })).rejects.toMatchObject({ code: 'not_found' });
    expect((await rowsOf())[0]).toMatchObject({ credentials_sealed: null, is_active: false });
  });
});
