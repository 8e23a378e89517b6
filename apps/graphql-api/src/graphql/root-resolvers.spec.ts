import { tradeOperations } from '@trading-automation/contracts';
import type { UseCase } from '@trading-automation/core';
import { ROOT_FIELDS } from '../schema/root-fields.js';
import type { RequestContext } from './context.js';
import { missingRootResolvers } from './root-resolvers.js';

class Trades {
  readonly name = 'trades';
}
const calls: unknown[] = [];
const cancel: UseCase = {
  operation: tradeOperations.cancel,
  service: Trades,
  invoke: (service, call) => {
    calls.push([service, call]);
    throw new Error('The use-case ran.');
  },
};
const container = { get: (() => new Trades()) as never };
const fields = ROOT_FIELDS.filter(({ name }) => name === 'cancelTrade');
const context = {
  actor: { userId: 'u1', credential: { kind: 'session', id: 'c1', permissions: ['TRADE'] } },
  incoming: { address: '192.0.2.1' },
  limitsOf: () => ({ takeTokensByCaller: async () => undefined }),
} as unknown as RequestContext;
const id = 'trd_01k9zzzzzzzzzzzzzzzzzzzzzz';

it('the use case of an operation resolves its field', async () => {
  const { Mutation } = missingRootResolvers([], [cancel], container, fields);
  const info = { path: { key: 'cancelTrade' } } as never;
  const result = await Mutation!.cancelTrade!(undefined, { id }, context, info);
  expect(result).toEqual(new Error('The use-case ran.'));
  expect(calls).toEqual([[new Trades(), expect.objectContaining({ actor: context.actor, params: { id } })]]);
});

it('a handwritten resolver replaces the use case', () => {
  const handwritten = [{ Trade: { fills: () => [] } }, { Mutation: { cancelTrade: () => 'by hand' } }];
  expect(missingRootResolvers(handwritten, [cancel], container, fields)).toEqual({});
});

it('an operation with neither a use case nor a resolver causes an error that names the operation', () => {
  expect(() => missingRootResolvers([], [], container, fields)).toThrow(
    'trades.cancel: no use-case and no resolver.',
  );
  expect(() => missingRootResolvers([], [cancel], container)).toThrow(/^health\.get, .*trades\.create/);
});
