/**
 * For the tests of those who use the SDK: a client without a server, records of every kind, and signed webhooks. It
 * runs wherever JavaScript does, under every test runner.
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

/** A client, and the API in memory behind it. */
export interface TestClient<D extends DecimalForm = 'number'> {
  readonly client: Client<D>;
  readonly api: FakeApi<D>;
}

/**
 * A client that speaks to an API in memory. It tries nothing again, so that each call is one request, unless
 * `maxRetries` says otherwise.
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
