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
const exact = createTestClient({ decimals: 'string' });

describe('an API in memory', () => {
  test('answers by the types of the operation: a record in part, or a list of such', () => {
    expect(client).type.toBe<Client<'number'>>();
    expect(exact.client).type.toBe<Client<'string'>>();
    expect(api.answer).type.toBeCallableWith('trades.get', { status: 'FILLED', amount: 1 });
    expect(api.answer).type.toBeCallableWith('trades.list', [{ symbol: 'ETH/USDT' }]);
    expect(exact.api.answer).type.toBeCallableWith('trades.get', { amount: '1' });
    expect(api.answer).type.not.toBeCallableWith('trades.get', { state: 'FILLED' });
    expect(api.answer).type.not.toBeCallableWith('trades.get', { amount: '1' });
    expect(api.answer).type.not.toBeCallableWith('trades.list', { symbol: 'ETH/USDT' });
    expect(api.answer).type.not.toBeCallableWith('trades.fetch', {});
  });

  test('knows what a request of the operation holds', () => {
    const [request] = api.requestsOf('trades.create');
    expect(request).type.toBe<FakeRequest<'trades.create'> | undefined>();
    expect<FakeRequest<'trades.create'>['body']['side']>().type.toBe<'BUY' | 'SELL'>();
    expect<FakeRequest<'trades.get'>['params']>().type.toBe<{ id: string }>();
    expect<FakeRequest<'trades.get'>['body']>().type.toBe<undefined>();
  });

  test('refuses by any code: more may come', () => {
    expect(api.fail).type.toBeCallableWith('trades.create', 'insufficient_balance');
    expect(api.fail).type.not.toBeCallableWith('trades.fetch', 'not_found');
  });
});

test('a fixture is the record of its operation, its decimals as they are asked for', () => {
  expect(fixture('trades.get')).type.toBe<TradeDetail<'number'>>();
  expect(fixture('trades.list', {}, 'string')).type.toBe<Trade<'string'>>();
  expect(fixture).type.not.toBeCallableWith('trades.get', { state: 'FILLED' });
});

test('an event is of its kind', () => {
  expect(webhookEvent('trade.filled')).type.toBe<WebhookEventOf<'trade.filled'>>();
  expect(webhookEvent).type.not.toBeCallableWith('trade.filled', { state: 'FILLED' });
  expect(webhookEvent).type.not.toBeCallableWith('trade.split');
});
