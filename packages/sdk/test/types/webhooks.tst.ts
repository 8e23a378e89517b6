import type { Client, Copier, Trade } from '@trading-automation/sdk';
import {
  constructEvent,
  type EventData,
  type WebhookEvent,
  type WebhookEventOf,
} from '@trading-automation/sdk/webhooks';
import { describe, expect, test } from 'tstyche';

const event = constructEvent('', new Headers(), 'whsec_');

describe('an event', () => {
  test('is narrowed by its member `type`, and so is its record', () => {
    expect(event).type.toBe<WebhookEvent>();
    if (event.type === 'trade.filled') {
      expect(event).type.toBe<WebhookEventOf<'trade.filled'>>();
      expect(event.data).type.toBe<Trade>();
    }
    if (event.type === 'copier.started') expect(event.data).type.toBe<Copier>();
    switch (event.type) {
      case 'trade.filled':
      case 'trade.cancelled':
        expect(event.data).type.toBe<Trade>();
    }
  });

  test('has only types of the catalogue, so that a misspelt comparison does not compile', () => {
    expect<WebhookEvent['type']>().type.toBe<keyof EventData>();
    expect<WebhookEvent['type']>().type.not.toBeAssignableFrom<'trade.fild'>();
  });

  test('has decimals in the requested form', () => {
    expect<WebhookEventOf<'trade.filled', 'string'>['data']['amount']>().type.toBe<string>();
    expect<EventData<'string'>['trade.filled']>().type.toBe<Trade<'string'>>();
  });
});

test('only a raw body can be verified, not a parsed one', () => {
  expect(constructEvent).type.toBeCallableWith('', {}, 'whsec_');
  expect(constructEvent).type.toBeCallableWith(new Uint8Array(), new Headers(), ['whsec_', 'whsec_']);
  expect(constructEvent).type.not.toBeCallableWith({ type: 'trade.filled' }, {}, 'whsec_');
  expect(constructEvent).type.not.toBeCallableWith('', {});
});

test("the client's constructEvent returns a promise of the same event", () => {
  const client = {} as Client;
  expect(client.webhooks.constructEvent('', {}, 'whsec_')).type.toBe<Promise<WebhookEvent<'number'>>>();
});
