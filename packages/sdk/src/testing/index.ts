/**
 * Helpers for tests of code that uses the SDK: a client without a server, records of every type and signed webhooks.
 * They run on every JavaScript runtime and with every test runner.
 */
import { Client, type ClientOptions } from '../client.js';
import type { DecimalForm } from '../core/decimals.js';
import { FakeApi } from './fake-api.js';
import { TEST_API_KEY } from './records.js';

export type { OperationId } from '../generated/operations.js';
export type { EventData, WebhookEventOf } from '../generated/records.js';
export {
  type Answering,
  type AnswerOf,
  type FailureDetails,
  FakeApi,
  type FakeGraphqlRequest,
  type FakeRequest,
} from './fake-api.js';
export {
  type EventHead,
  fixture,
  type SignedWebhook,
  signedWebhook,
  TEST_API_KEY,
  TEST_WEBHOOK_SECRET,
  webhookEvent,
} from './records.js';

/** A client with its in-memory API. */
export interface TestClient<D extends DecimalForm = 'number'> {
  /** A client whose requests go to `api`. */
  readonly client: Client<D>;
  /** The in-memory API. Configure its responses and read its recorded requests. */
  readonly api: FakeApi<D>;
}

/**
 * Creates a client of an in-memory API. Unless you set `maxRetries`, the client does not retry: each call is
 * one request.
 *
 * @example
 * import { createTestClient } from '@trading-automation/sdk/testing';
 *
 * const { client, api } = createTestClient();
 * api.answer('trades.get', { status: 'FAILED' });
 * const trade = await client.trades.get('trd_1');
 * console.log(trade.status, api.requests.length);
 */
export function createTestClient<D extends DecimalForm = 'number'>(
  options: Omit<ClientOptions<D>, 'fetch'> = {},
): TestClient<D> {
  const api = new FakeApi<D>();
  const client = new Client<D>({
    baseURL: 'https://api.test',
    maxRetries: 0,
    ...(options.signer === undefined ? { apiKey: TEST_API_KEY } : {}),
    ...options,
    fetch: api.fetch,
  });
  return { client, api };
}
