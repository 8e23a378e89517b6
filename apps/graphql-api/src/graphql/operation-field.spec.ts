import {
  accessOperations,
  DomainError,
  OPERATIONS,
  type Operation,
  PERMISSIONS,
  type Permission,
  permits,
  tradeOperations,
} from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';

import type { RequestContext } from './context.js';
import { OperationField } from './operation-field.js';

const actorWith = (...permissions: readonly Permission[]): Actor => ({
  userId: '019a0000-0000-7000-8000-000000000001',
  credential: { kind: 'session', id: '019a0000-0000-7000-8000-000000000002', permissions },
});

interface FieldRequest {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly actor?: Actor | null;
  readonly options?: ConstructorParameters<typeof OperationField>[1];
  /**
   * Called with each token that the operation takes, for example `identity_writes address`. Throws to simulate an
   * exceeded rate limit.
   */
  readonly take?: (token: string) => Promise<void>;
}

/** Resolves a field whose use case fails. Returns the error, the calls of the use case and the tokens taken. */
async function resolveField(
  operation: Operation,
  { args = {}, actor = null, options = {}, take }: FieldRequest = {},
) {
  const calls: unknown[] = [];
  const takenTokens: string[] = [];
  const takeToken = async (token: string) => {
    takenTokens.push(token);
    await take?.(token);
  };
  const context = {
    actor,
    incoming: { address: '192.0.2.1' },
    idempotency: undefined,
    commands: { share: (_userId: string, useCase: () => unknown) => useCase() },
    limitsOf: (bucket: string) => ({
      takeTokensByAddress: () => takeToken(`${bucket} address`),
      takeTokensByCaller: ({ credential }: Actor) => takeToken(`${bucket} ${credential.id}`),
    }),
  } as unknown as RequestContext;
  const resolved = await new OperationField(operation, options).resolve({
    invoke: (call) => {
      calls.push(call);
      throw new DomainError('invalid_state');
    },
    args,
    context,
    info: { path: { prev: undefined, key: 'field', typename: 'Query' } },
  });
  return { error: resolved as DomainError, calls, takenTokens };
}

const protectedOperations = OPERATIONS.filter(({ access }) => access !== 'PUBLIC' && access !== 'CHALLENGE');

it.each(protectedOperations.map((operation) => [operation.id, operation] as const))(
  '%s is rejected without its permission, before any validation',
  async (_id, operation) => {
    const needed = operation.access as Permission;
    const lacking = PERMISSIONS.filter((permission) => !permits([permission], needed));
    for (const permission of lacking) {
      const { error, calls } = await resolveField(operation, {
        actor: actorWith(permission),
        args: { input: 1 },
      });
      expect(error).toMatchObject({ code: 'permission_denied', details: [{ permission: needed }] });
      expect(calls).toEqual([]);
    }
    const { error } = await resolveField(operation, { actor: actorWith(needed), args: { input: 1 } });
    expect(error.code).not.toBe('permission_denied');
    const anonymous = await resolveField(operation, { args: { input: 1 } });
    expect(anonymous.error).toMatchObject({ code: 'authentication_required' });
    expect(anonymous.calls).toEqual([]);
  },
);

it('a public operation runs with and without credentials, and its use case does not get the caller', async () => {
  for (const actor of [null, actorWith('READ')]) {
    const { calls } = await resolveField(accessOperations.cliChallenge, { actor });
    expect(calls).toMatchObject([{ actor: null }]);
  }
});

describe('the rate limits of an operation with its own bucket', () => {
  const bucket = accessOperations.createApiKey.bucket;

  it('apply to the credential, or to the IP address if the request has no credential', async () => {
    const { takenTokens } = await resolveField(accessOperations.createApiKey, { actor: actorWith('ADMIN') });
    expect(takenTokens).toEqual([`${bucket} ${actorWith().credential.id}`]);
    const anonymous = await resolveField(accessOperations.cliIdentity);
    expect(anonymous.takenTokens).toEqual([`${accessOperations.cliIdentity.bucket} address`]);
    expect((await resolveField(accessOperations.me, { actor: actorWith('READ') })).takenTokens).toEqual([]);
  });

  it('are checked before the permission, and the error contains the time to wait', async () => {
    const { error, calls } = await resolveField(accessOperations.createApiKey, {
      actor: actorWith('READ'),
      take: async () => {
        throw new DomainError('rate_limited', undefined, [], { retryAfterSeconds: 7 });
      },
    });
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 7 });
    expect(calls).toEqual([]);
  });
});

describe('arguments', () => {
  const actor = actorWith('ADMIN');
  const ID = 'str_01k9zzzzzzzzzzzzzzzzzzzzzz';

  it('become the parameters of the operation, under their wire names', async () => {
    const args = { first: 5, sort: 'createdAt', order: 'asc', strategyId: ID, status: null };
    const { calls } = await resolveField(tradeOperations.list, { actor, args });
    expect(calls).toMatchObject([
      { params: {}, query: { limit: 5, sort: 'created_at', order: 'asc', strategy_id: ID } },
    ]);
    expect((calls[0] as { query: object }).query).not.toHaveProperty('status');
  });

  it('named `include…` add the rest of their name to `include` if they are true', async () => {
    for (const [includeRevoked, include] of [
      [true, ['revoked']],
      [false, []],
    ]) {
      const { calls } = await resolveField(accessOperations.listApiKeys, { actor, args: { includeRevoked } });
      expect(calls).toMatchObject([{ query: { include } }]);
    }
  });

  it('can be path parameters under other names', async () => {
    const id = 'trd_01k9zzzzzzzzzzzzzzzzzzzzzz';
    const { calls } = await resolveField(tradeOperations.get, {
      actor,
      args: { tradeId: id },
      options: { params: { tradeId: 'id' } },
    });
    expect(calls).toMatchObject([{ params: { id } }]);
  });

  it('are validated in the order query, body, ids, with GraphQL names in errors', async () => {
    const list = await resolveField(tradeOperations.list, {
      actor,
      args: { first: 0, strategyId: 'nonsense' },
    });
    expect(list.error).toMatchObject({ code: 'invalid_query', details: [{ field: 'first' }] });
    const input = {
      exchangeAccountId: 'nonsense',
      tradePairId: ID,
      type: 'LIMIT',
      side: 'BUY',
      amount: '-1',
    };
    const create = await resolveField(tradeOperations.create, { actor, args: { input } });
    expect(create.error.code).toBe('validation_failed');
    expect(create.error.details.map(({ field }) => field)).toContain('amount');
    expect([...list.calls, ...create.calls]).toEqual([]);
  });
});

it('an error of the use case is returned instead of thrown', async () => {
  const { error } = await resolveField(accessOperations.me, { actor: actorWith('READ') });
  expect(error).toBeInstanceOf(DomainError);
  expect(error.code).toBe('invalid_state');
});
