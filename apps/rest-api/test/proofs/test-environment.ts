/** An API with a stub backend, and an exchange with the pairs BTC/USDT and ETH/USDT. */

import { randomUUID } from 'node:crypto';
import { decodeId, encodeId, type IdPrefix } from '@trading-automation/contracts';
import { startTestRestApi, type TestRestApi } from '../test-rest-api.js';
import { CREDENTIALS_REPORT, type StubBackend, startStubBackend } from './stub-backend.js';

/** The request id of the rows that the request log keeps. */
export const LOGGED_REQUEST_ID = 'logged';

export class TestEnvironment {
  private constructor(
    readonly api: TestRestApi,
    readonly backend: StubBackend,
    /** Id of BTC/USDT. */
    readonly pairId: string,
    readonly rewardTypeId: string,
  ) {}

  static async open(
    settings: Readonly<Record<string, string>> = {},
    venue: Parameters<typeof startStubBackend>[1] = {},
  ): Promise<TestEnvironment> {
    const api = await startTestRestApi(settings);
    const backend = await startStubBackend(api, venue);
    const { database } = backend.platform;
    const [pair, rewardType] = [randomUUID(), randomUUID()];
    await database.query(
      `INSERT INTO supported_exchanges (id, code, name, trading_types, is_active)
       VALUES ($1, 'paper', 'Paper exchange', '{spot}', true), ($2, 'other', 'Another exchange', '{spot}', true)`,
      [randomUUID(), randomUUID()],
    );
    await database.query(
      `INSERT INTO trade_pairs (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step, min_amount,
         min_notional, last_price, is_active, rules_updated_at)
       SELECT id, 'paper', base || '/USDT', base, 'USDT', 'spot', 0.01, 0.00001, 0.00001, 1, 60000, true, now()
       FROM unnest($1::uuid[], $2::text[]) AS pair (id, base)`,
      [
        [pair, randomUUID()],
        ['BTC', 'ETH'],
      ],
    );
    await database.query(
      `INSERT INTO reward_types (id, code, name, description, basis, rate, is_active)
       VALUES ($1, 'PROOF', 'A proof', 'For tests.', 'FLAT', 100, true),
         ($2, 'OTHER', 'Another', 'For tests.', 'FLAT', 1, true)`,
      [rewardType, randomUUID()],
    );
    // The proofs compare what lists return. Their own requests would change the request log meanwhile.
    await database.query(
      `CREATE RULE discard_requests AS ON INSERT TO request_log WHERE NEW.request_id <> '${LOGGED_REQUEST_ID}' DO INSTEAD NOTHING`,
    );
    return new TestEnvironment(api, backend, encodeId('tpr', pair), encodeId('rwt', rewardType));
  }

  async close(): Promise<void> {
    await this.backend.stop();
    await this.api.close();
  }

  rows(text: string, ...params: unknown[]): Promise<Record<string, unknown>[]> {
    return this.backend.platform.database.query(text, params);
  }

  uuidOf(id: string): string {
    const uuid = decodeId(id.slice(0, id.indexOf('_')) as IdPrefix, id);
    if (uuid === null) throw new Error(`${id} is not an id`);
    return uuid;
  }

  /** Responds as a venue does to valid credentials. */
  readonly goodCredentials = async () => CREDENTIALS_REPORT;

  accountBody() {
    return {
      exchange: 'paper',
      account_name: 'mine',
      trading_type: 'spot',
      credentials: { api_key: 'key', api_secret: 'secret' },
    };
  }

  tradeBody(accountId: string) {
    return {
      exchange_account_id: accountId,
      trade_pair_id: this.pairId,
      type: 'LIMIT',
      side: 'BUY',
      price: 10000,
      amount: '0.001',
    };
  }
}
