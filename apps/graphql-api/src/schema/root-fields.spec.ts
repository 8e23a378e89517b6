import { defineOperation, OPERATIONS, type Operation } from '@trading-automation/contracts';
import { buildSchema } from 'graphql';
import { z } from 'zod';
import { buildSchemaText } from './build-schema.js';
import { ROOT_FIELD_OVERRIDES } from './root-field-overrides.js';
import { ROOT_FIELDS, rootFieldOf } from './root-fields.js';

const operation = (id: string, method: Operation['method'], path: `/v1/${string}`): Operation =>
  defineOperation({
    id,
    method,
    path,
    summary: 'A test.',
    access: 'READ',
    response: z.object({ id: z.string() }),
    status: 200,
    errors: [],
  });

it.each([
  ['trades.list', 'GET', '/v1/trades', 'Query', 'trades', {}],
  ['trades.get', 'GET', '/v1/trades/:id', 'Query', 'trade', {}],
  ['strategies.get', 'GET', '/v1/strategies/:id', 'Query', 'strategy', {}],
  ['withdrawalAddresses.get', 'GET', '/v1/withdrawal-addresses/:id', 'Query', 'withdrawalAddress', {}],
  ['exchanges.create', 'POST', '/v1/exchanges', 'Mutation', 'createExchangeAccount', {}],
  ['apiKeys.rotate', 'POST', '/v1/api-keys/:id/rotate', 'Mutation', 'rotateApiKey', {}],
  ['trades.fills', 'GET', '/v1/trades/:id/fills', 'Query', 'tradeFills', { tradeId: 'id' }],
  ['settings.get', 'GET', '/v1/settings/:key', 'Query', 'setting', {}],
  [
    'deadLetters.retry',
    'POST',
    '/v1/webhooks/:id/dead-letters/:dlq_id/retry',
    'Mutation',
    'retryDeadLetter',
    { webhookId: 'id', id: 'dlq_id' },
  ],
] as const)('%s (%s %s) is %s.%s', (id, method, path, type, name, params) => {
  expect(rootFieldOf(operation(id, method, path))).toMatchObject({ type, name, params });
});

it('a stream has no root field, so it needs an override', () => {
  const stream = { ...operation('trades.stream', 'GET', '/v1/trades/stream'), stream: true } as const;
  expect(() => rootFieldOf(stream)).toThrow('trades.stream is a stream and has no root field');
});

it('every override belongs to an operation and changes its root field', () => {
  for (const [id, override] of Object.entries(ROOT_FIELD_OVERRIDES)) {
    const overridden = OPERATIONS.find((known) => known.id === id)!;
    if (override === 'REST_ONLY') expect(ROOT_FIELDS.some((field) => field.operation.id === id)).toBe(false);
    else expect(rootFieldOf(overridden, override)).not.toEqual(rootFieldOf(overridden));
  }
});

it('no two operations have the same root field', () => {
  const fieldNames = ROOT_FIELDS.map(({ type, name }) => `${type}.${name}`);
  expect(new Set(fieldNames).size).toBe(fieldNames.length);
});

it('a handwritten root field replaces the generated one', () => {
  const schema = buildSchema(buildSchemaText(['extend type Query { trades(top: Int!): [Trade!] }']));
  const { trades, trade } = schema.getQueryType()!.getFields();
  expect(trades!.args.map(({ name }) => name)).toEqual(['top']);
  expect(trade!.args.map(({ name }) => name)).toEqual(['id']);
});
