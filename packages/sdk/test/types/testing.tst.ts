import type { Client, Trade, TradeDetail } from '@trading-automation/sdk';
import {
  createTestClient,
  type FakeRequest,
  fixture,
  type WebhookEventOf,
  webhookEvent,
} from '@trading-automation/sdk/testing';
import { describe, expect, test } from 'tstyche';

const { client, api } = createTestClient();
const withStrings = createTestClient({ decimals: 'string' });

describe('the in-memory API', () => {
  test('accepts a partial record of the operation, or a list of partial records', () => {
    expect(client).type.toBe<Client<'number'>>();
    expect(withStrings.client).type.toBe<Client<'string'>>();
    expect(api.answer).type.toBeCallableWith('trades.get', { status: 'FILLED', amount: 1 });
    expect(api.answer).type.toBeCallableWith('trades.list', [{ symbol: 'ETH/USDT' }]);
    expect(withStrings.api.answer).type.toBeCallableWith('trades.get', { amount: '1' });
    expect(api.answer).type.not.toBeCallableWith('trades.get', { state: 'FILLED' });
    expect(api.answer).type.not.toBeCallableWith('trades.get', { amount: '1' });
    expect(api.answer).type.not.toBeCallableWith('trades.list', { symbol: 'ETH/USDT' });
    expect(api.answer).type.not.toBeCallableWith('trades.fetch', {});
  });

  test('returns requests with the types of the operation', () => {
    const [request] = api.requestsOf('trades.create');
    expect(request).type.toBe<FakeRequest<'trades.create'> | undefined>();
    expect<FakeRequest<'trades.create'>['body']['side']>().type.toBe<'BUY' | 'SELL'>();
    expect<FakeRequest<'trades.get'>['params']>().type.toBe<{ id: string }>();
    expect<FakeRequest<'trades.get'>['body']>().type.toBe<undefined>();
  });

  test('can fail only existing operations', () => {
    expect(api.fail).type.toBeCallableWith('trades.create', 'insufficient_balance');
    expect(api.fail).type.not.toBeCallableWith('trades.fetch', 'not_found');
  });
});

test('a fixture is the record of its operation with decimals in the requested form', () => {
  expect(fixture('trades.get')).type.toBe<TradeDetail<'number'>>();
  expect(fixture('trades.list', {}, 'string')).type.toBe<Trade<'string'>>();
  expect(fixture).type.not.toBeCallableWith('trades.get', { state: 'FILLED' });
});

test('an event has the record of its type', () => {
  expect(webhookEvent('trade.filled')).type.toBe<WebhookEventOf<'trade.filled'>>();
  expect(webhookEvent).type.not.toBeCallableWith('trade.filled', { state: 'FILLED' });
  expect(webhookEvent).type.not.toBeCallableWith('trade.split');
});
