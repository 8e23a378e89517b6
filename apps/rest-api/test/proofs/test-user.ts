/** A user with a key pair and an API key for each permission. Its methods create records of every type. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { encodeId, type IdPrefix, PERMISSIONS, type Permission } from '@trading-automation/contracts';
import { send, type TestResponse } from '../send.js';
import {
  createIdentityBody,
  createKeyPair,
  type KeyPair,
  openAccount,
  sendSigned,
} from '../test-rest-api.js';
import { LOGGED_REQUEST_ID, type TestEnvironment } from './test-environment.js';

/** A wallet address from the examples of EIP-55. */
export const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

export interface CallOptions {
  readonly body?: unknown;
  readonly permission?: Permission;
  readonly headers?: Readonly<Record<string, string>>;
}

type Data = Record<string, unknown> & { readonly id: string };

export class TestUser {
  /** All strategies share one exchange account, and all copiers another, because the number of accounts is limited. */
  private strategyAccount: Promise<string> | undefined;
  private copierAccount: Promise<string> | undefined;
  /** The number of addresses that `newWallet` returned. */
  private wallets = 0;

  private constructor(
    readonly environment: TestEnvironment,
    readonly keyPair: KeyPair,
    readonly id: string,
    private readonly keys: Readonly<Record<Permission, string>>,
  ) {}

  static async create(environment: TestEnvironment): Promise<TestUser> {
    const keyPair = await openAccount(environment.api);
    const keys: Partial<Record<Permission, string>> = {};
    for (const permission of PERMISSIONS) {
      const body = { name: permission, permissions: [permission] };
      const { json, text } = await sendSigned(environment.api, keyPair, 'POST', '/v1/api-keys', { body });
      if (json.success !== true) throw new Error(`no key was created: ${text}`);
      keys[permission] = (json.data as { key: string }).key;
    }
    const { json } = await sendSigned(environment.api, keyPair, 'GET', '/v1/me');
    return new TestUser(environment, keyPair, (json.data as Data).id, keys as Record<Permission, string>);
  }

  keyOf(permission: Permission): string {
    return this.keys[permission];
  }

  /** Sends a request with an API key, by default an ADMIN key. Requests decimals as strings, as the schemas expect. */
  call(method: string, target: string, { body, permission = 'ADMIN', headers = {} }: CallOptions = {}) {
    return send(this.environment.api, method, target, {
      headers: {
        'x-api-key': this.keys[permission],
        accept: 'application/json; decimals=string',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Sends a request that must succeed, and returns its data. */
  async requireData(method: string, target: string, body?: unknown): Promise<Data> {
    const response: TestResponse = await this.call(method, target, body === undefined ? {} : { body });
    if (response.json.success !== true) throw new Error(`${method} ${target}: ${response.text}`);
    return response.json.data as Data;
  }

  /** Creates an exchange account with large balances of USDT and BTC. */
  async account(): Promise<string> {
    const { id } = await this.requireData('POST', '/v1/exchanges', this.environment.accountBody());
    await this.environment.rows(
      `UPDATE exchange_accounts SET balances_taken_at = now(), sync_served_at = now(), last_sync_at = now(),
         balances = '{"USDT": {"free": "1000000", "locked": "0"}, "BTC": {"free": "100", "locked": "0"}}'
       WHERE id = $1`,
      this.environment.uuidOf(id),
    );
    return id;
  }

  /** Creates an account that trades perpetuals. */
  async perpetualAccount(): Promise<string> {
    const id = await this.account();
    await this.environment.rows(
      "UPDATE exchange_accounts SET trading_type = 'perpetual' WHERE id = $1",
      this.environment.uuidOf(id),
    );
    return id;
  }

  /** Creates a pair that nothing trades. */
  pair(): Promise<string> {
    return this.newPair('spot');
  }

  /** Creates a perpetual that nothing trades. */
  perpetual(): Promise<string> {
    return this.newPair('perpetual');
  }

  private async newPair(tradingType: 'spot' | 'perpetual'): Promise<string> {
    const base = `X${randomUUID().slice(0, 8)}`;
    const rules = { price_tick: '0.01', amount_step: '0.01', min_amount: '0.01', min_notional: '1' };
    const { id } = await this.row('trade_pairs', 'tpr', {
      exchange: 'paper',
      symbol: tradingType === 'spot' ? `${base}/USDT` : `${base}/USDT:USDT`,
      exchange_symbol: `${base}USDT`,
      base,
      quote: 'USDT',
      trading_type: tradingType,
      ...rules,
      is_active: false,
      rules_updated_at: new Date(),
    });
    return id;
  }

  /** Inserts an inactive pair once, and returns its symbol, which is the same for all users. */
  async commonSymbol(): Promise<string> {
    await this.environment.rows(
      `INSERT INTO trade_pairs (id, exchange, symbol, exchange_symbol, base, quote, trading_type, price_tick, amount_step,
         min_amount, min_notional, is_active, rules_updated_at)
       SELECT $1, 'paper', 'COMMON/USDT', 'COMMONUSDT', 'COMMON', 'USDT', 'spot', 0.01, 0.01, 0.01, 1, false, now()
       WHERE NOT EXISTS (SELECT FROM trade_pairs WHERE symbol = 'COMMON/USDT')`,
      randomUUID(),
    );
    return 'COMMON/USDT';
  }

  async trade(accountId?: string): Promise<string> {
    const account = accountId ?? (await this.account());
    return (await this.requireData('POST', '/v1/trades', this.environment.tradeBody(account))).id;
  }

  /** Creates an open lot of 1 BTC, bought at 100. */
  async lot(): Promise<string> {
    const accountId = await this.account();
    const tradeId = this.environment.uuidOf(await this.trade(accountId));
    const pairId = this.environment.uuidOf(this.environment.pairId);
    const owner = { trade_id: tradeId, exchange_account_id: this.environment.uuidOf(accountId) };
    const { uuid } = await this.row('fills', 'fil', {
      ...owner,
      symbol: 'BTC/USDT',
      exchange_fill_id: randomUUID(),
      price: '100',
      amount: '1',
      fee_amount: '0',
      fee_currency: 'USDT',
      liquidity: 'TAKER',
      executed_at: new Date(),
    });
    await this.environment.rows(
      `INSERT INTO lots (id, user_id, exchange_account_id, trade_pair_id, symbol, trade_id, side, opened_amount,
         open_amount, opened_value, open_value, opened_at)
       VALUES ($1, $2, $3, $4, 'BTC/USDT', $5, 'BUY', 1, 1, 100, 100, now())`,
      uuid,
      this.uuid,
      owner.exchange_account_id,
      pairId,
      tradeId,
    );
    return encodeId('lot', uuid);
  }

  /** Creates an open position of 1 in a new perpetual. */
  async position(): Promise<string> {
    const pairId = this.environment.uuidOf(await this.perpetual());
    const [pair] = await this.environment.rows('SELECT symbol FROM trade_pairs WHERE id = $1', pairId);
    const { id } = await this.row('positions', 'pos', {
      user_id: this.uuid,
      exchange_account_id: this.environment.uuidOf(await this.perpetualAccount()),
      trade_pair_id: pairId,
      symbol: pair?.symbol,
      side: 'LONG',
      amount: '1',
      entry_price: '100',
      margin_mode: 'CROSS',
    });
    return id;
  }

  async webhook(): Promise<string> {
    const body = { url: 'https://receiver.example/hook', events: ['*'] };
    return (await this.requireData('POST', '/v1/webhooks', body)).id;
  }

  async webhookWithDeliveries(): Promise<string> {
    const id = await this.webhook();
    for (let i = 0; i < 2; i++) await this.requireData('POST', `/v1/webhooks/${id}/test`);
    return id;
  }

  async apiKey(): Promise<string> {
    return (await this.requireData('POST', '/v1/api-keys', { name: 'spare', permissions: ['READ'] })).id;
  }

  async publicKey(): Promise<string> {
    const { body } = await this.newIdentity();
    return (await this.requireData('POST', '/v1/auth/cli-identity', body)).id;
  }

  /** Creates the code of a verification e-mail, without the e-mail. */
  async emailCode(): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    const email = `${this.id}@mail.example`;
    await this.environment.rows('UPDATE users SET pending_email = $2 WHERE id = $1', this.uuid, email);
    await this.environment.rows(
      `INSERT INTO email_verifications (code_hash, user_id, email, created_at, expires_at)
       VALUES ($1, $2, $3, now(), now() + interval '1 hour')`,
      createHash('sha256').update(code).digest(),
      this.uuid,
      email,
    );
    return code;
  }

  async strategy(): Promise<string> {
    this.strategyAccount ??= this.dedicatedAccount();
    const body = { name: 'momentum', exchange_account_id: await this.strategyAccount };
    return (await this.requireData('POST', '/v1/strategies', body)).id;
  }

  /** Creates an account whose venue account id differs from that of the copiers' accounts. */
  private async dedicatedAccount(): Promise<string> {
    const account = await this.account();
    await this.environment.rows(
      'UPDATE exchange_accounts SET venue_account_id = $2 WHERE id = $1',
      this.environment.uuidOf(account),
      account,
    );
    return account;
  }

  async copier(strategyId?: string): Promise<string> {
    this.copierAccount ??= this.account();
    const body = {
      name: 'follower',
      exchange_account_id: await this.copierAccount,
      sizing: { mode: 'FIXED_QUOTE', value: '100' },
      ...(strategyId === undefined ? {} : { strategy_id: strategyId }),
    };
    return (await this.requireData('POST', '/v1/copiers', body)).id;
  }

  async linkedCopier(): Promise<string> {
    return this.copier(await this.strategy());
  }

  async startedCopier(): Promise<string> {
    const id = await this.linkedCopier();
    await this.requireData('POST', `/v1/copiers/${id}/start`);
    return id;
  }

  /** Creates a copier that was paused while its strategy emitted two signals. */
  async copierWithDecisions(): Promise<string> {
    const copierId = await this.copier();
    const { exchange_account_id } = (
      await this.environment.rows(
        'SELECT exchange_account_id FROM copiers WHERE id = $1',
        this.environment.uuidOf(copierId),
      )
    )[0]!;
    for (let sequence = 1; sequence <= 2; sequence++) {
      const signalId = this.environment.uuidOf(await this.signal());
      await this.row('decisions', 'dec', {
        user_id: this.uuid,
        copier_id: this.environment.uuidOf(copierId),
        strategy_id: randomUUID(),
        exchange_account_id,
        signal_id: signalId,
        sequence,
        source_trade_id: randomUUID(),
        lot_trade_id: randomUUID(),
        symbol: 'BTC/USDT',
        kind: 'OPEN',
        reference_price: '100',
        signal_at: new Date(),
        outcome: 'SKIPPED',
        code: 'NOT_ACTIVE',
        inputs: { rule: 'status', value: 'PAUSED' },
        target_amount: '0',
        is_applied: true,
        settled_at: new Date(),
      });
    }
    return copierId;
  }

  /** Creates a signal of this user's strategy, which has no copiers. */
  async signal(): Promise<string> {
    const tradeId = randomUUID();
    const trade = { lot_trade_id: tradeId, source_trade_id: tradeId, source_fill_id: randomUUID() };
    const { id } = await this.row('signals', 'sig', {
      ...trade,
      strategy_id: this.environment.uuidOf(await this.strategy()),
      sequence: 1,
      kind: 'OPEN',
      side: 'BUY',
      trade_pair_id: randomUUID(),
      symbol: 'BTC/USDT',
      trading_type: 'spot',
      exchange_account_id: randomUUID(),
      lot_first_sequence: 1,
      lot_opened_at: new Date(),
      lot_order_amount: '1',
      filled_amount: '1',
      cumulative_amount: '1',
      lot_amount_before: '0',
      lot_amount_after: '1',
      exit_amount: '0',
      reference_price: '100',
      signal_at: new Date(),
    });
    return id;
  }

  /** Creates a claimable reward of 100 tokens. */
  async reward(): Promise<string> {
    const { id } = await this.row('rewards', 'rwd', {
      user_id: this.uuid,
      type_id: this.environment.uuidOf(this.environment.rewardTypeId),
      amount: '100',
      currency: 'SVC-TEST',
      reason: 'a first trade',
      source_kind: 'referral',
      source_id: randomUUID(),
      event_id: randomUUID(),
      claimable_at: new Date(),
    });
    return id;
  }

  async withdrawal(): Promise<string> {
    await this.requireData('POST', `/v1/rewards/${await this.reward()}/claim`);
    return (await this.requireData('POST', '/v1/withdrawals', { amount: '10', wallet_address: WALLET })).id;
  }

  /**
   * Returns a new address for the address book. All users get the same sequence of addresses, so that tests can compare
   * their records. Deletes old entries of the book, because its size is limited.
   */
  async newWallet(): Promise<string> {
    await this.environment.rows(
      `DELETE FROM withdrawal_addresses WHERE id IN (
         SELECT id FROM withdrawal_addresses WHERE user_id = $1 ORDER BY id DESC OFFSET 15)`,
      this.uuid,
    );
    this.wallets += 1;
    return `0x${this.wallets.toString(16).padStart(40, '0')}`;
  }

  async withdrawalAddress(): Promise<string> {
    return (await this.requireData('POST', '/v1/withdrawal-addresses', { address: await this.newWallet() }))
      .id;
  }

  async notification(): Promise<string> {
    const { id } = await this.row('notifications', 'ntf', {
      user_id: this.uuid,
      event_id: randomUUID(),
      kind: 'trade.filled',
      severity: 'INFO',
      title: 'Filled',
      body: 'A trade was filled.',
      resource: 'trade',
      resource_id: await this.trade(),
      created_at: new Date(),
    });
    return id;
  }

  async setting(): Promise<string> {
    const key = `s.${randomUUID()}`;
    await this.requireData('PUT', `/v1/settings/${key}`, { value: [1, { a: null }] });
    return key;
  }

  async loggedRequests(): Promise<void> {
    await this.environment.rows(
      `INSERT INTO request_log (slot, id, user_id, credential_kind, credential_id, method, route, status, duration_ms,
         request_id, address, created_at)
       SELECT 0, gen_random_uuid(), $1, 'api_key', gen_random_uuid(), method, '/v1/me', status, 3, $2, '203.0.113.7', now()
       FROM (VALUES ('GET', 200), ('PATCH', 422), ('GET', 500)) AS request (method, status)`,
      this.uuid,
      LOGGED_REQUEST_ID,
    );
  }

  async event(): Promise<string> {
    await this.apiKey();
    const [row] = await this.environment.rows(
      'SELECT id FROM outbox_events WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1',
      this.uuid,
    );
    return encodeId('evt', row!.id as string);
  }

  /** Creates a webhook with dead letters, each of a different event. */
  async deadLetters(count: number): Promise<{ webhookId: string; deadLetterId: string }> {
    const webhookId = await this.webhook();
    let deadLetterId = '';
    for (let i = 0; i < count; i++) {
      const eventId = this.environment.uuidOf(await this.event());
      const { id, uuid } = await this.row('webhook_deliveries', 'dlq', {
        webhook_id: this.environment.uuidOf(webhookId),
        event_id: eventId,
        event_type: 'key.created',
        status: 'DEAD',
        attempts: 5,
      });
      await this.environment.rows(
        `INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts, last_status_code, last_error)
         VALUES ($1, $2, 'key.created', 5, 500, 'http_status')`,
        uuid,
        this.environment.uuidOf(webhookId),
      );
      deadLetterId = id;
    }
    return { webhookId, deadLetterId };
  }

  /** Inserts a row into a table, for records that no operation creates. */
  private async row(
    table: string,
    prefix: IdPrefix,
    columns: Readonly<Record<string, unknown>>,
  ): Promise<{ id: string; uuid: string }> {
    const uuid = randomUUID();
    const values = { id: uuid, ...columns };
    const placeholders = Object.keys(values).map((_, index) => `$${index + 1}`);
    await this.environment.rows(
      `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${placeholders.join(', ')})`,
      ...Object.values(values),
    );
    return { uuid, id: encodeId(prefix, uuid) };
  }

  /** Returns the body of a request that links a new key pair. */
  async newIdentity(): Promise<{ body: unknown }> {
    return { body: JSON.parse(await createIdentityBody(this.environment.api, createKeyPair())) };
  }

  /** Returns the body of a request that opens a session of a new key pair. */
  async newSession(): Promise<object> {
    return { client_name: 'A browser', ...((await this.newIdentity()).body as object) };
  }

  async browserSession(): Promise<string> {
    return (await this.requireData('POST', '/v1/auth/sessions', await this.newSession())).id;
  }

  /** Returns the codes of a new sign-in by code. */
  private async startSignIn(): Promise<{ device_code: string; user_code: string }> {
    const data = await this.requireData('POST', '/v1/auth/device', await this.newSession());
    return data as never;
  }

  async userCode(): Promise<string> {
    return (await this.startSignIn()).user_code;
  }

  /** Returns the device code of a sign-in that the user has approved. */
  async deviceCode(): Promise<string> {
    const { device_code, user_code } = await this.startSignIn();
    await this.requireData('POST', '/v1/auth/device/approve', { user_code });
    return device_code;
  }

  /** Creates a record of the type with this id prefix, and returns the id. */
  async idOf(prefix: IdPrefix): Promise<string> {
    const factories: Partial<Record<IdPrefix, () => Promise<string>>> = {
      exa: () => this.account(),
      tpr: () => this.pair(),
      trd: () => this.trade(),
      lot: () => this.lot(),
      whk: () => this.webhook(),
      key: () => this.apiKey(),
      str: () => this.strategy(),
      cpr: () => this.copier(),
      sig: () => this.signal(),
      evt: () => this.event(),
    };
    const create = factories[prefix];
    if (create === undefined) throw new Error(`no factory creates a ${prefix}_ id`);
    return create();
  }

  get uuid(): string {
    return this.environment.uuidOf(this.id);
  }
}
