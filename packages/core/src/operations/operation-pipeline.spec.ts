import {
  DomainError,
  type Operation,
  settingOperations,
  simulationOperations,
  tradeOperations,
} from '@trading-automation/contracts';
import { z } from 'zod';
import type { Actor } from './actor.js';
import type { IdempotencyContext } from './command-runner.js';
import { OperationPipeline, type OperationRequest } from './operation-pipeline.js';

const USER = '019a0000-0000-7000-8000-000000000001';
const actorWith = (...permissions: Actor['credential']['permissions']): Actor => ({
  userId: USER,
  credential: { kind: 'api_key', id: '019a0000-0000-7000-8000-000000000002', permissions },
});
const KEY = { route: 'trades.create', key: 'k-1', fingerprint: Buffer.from('f') };
const TRADE_ID = 'trd_01jsn3w1x2e4xr0v6y9qk7m5ab';
const COPIER_ID = 'cpr_01jsn3w1x2e4xr0v6y9qk7m5ab';
const TRADE = {
  exchange_account_id: 'exa_01jsn3w1x2e4xr0v6y9qk7m5ab',
  trade_pair_id: 'tpr_01jsn3w1x2e4xr0v6y9qk7m5ab',
  type: 'MARKET',
  side: 'BUY',
  amount: '1',
};

/** Runs a call and records the names of the stages that ran. `broken` is the name of the stage that fails. */
async function run(operation: Operation, overrides: Partial<OperationRequest> & { broken?: string } = {}) {
  const stages: string[] = [];
  const stored: IdempotencyContext[] = [];
  const shares: string[] = [];
  const stage = <T>(name: string, value: T): T => {
    stages.push(name);
    if (overrides.broken === name) throw new DomainError('service_unavailable');
    return value;
  };
  const request: OperationRequest = {
    address: '192.0.2.1',
    identify: async () => stage('identify', actorWith('ADMIN')),
    charge: async () => stage('charge', undefined),
    idempotency: () => stage('idempotency', undefined),
    read: () => stage('read', { query: {}, body: TRADE, params: {} }),
    serialize: () => ({ status: 200, body: Buffer.from('') }),
    invoke: () => stage('invoke', 'done'),
    ...overrides,
  };
  const commands = {
    share: async <T>(userId: string, useCase: () => T | Promise<T>) => {
      shares.push(userId);
      return useCase();
    },
    run: async (idempotency: IdempotencyContext | undefined, effect: (tx: never) => Promise<never>) => {
      stored.push(idempotency!);
      return effect(undefined as never);
    },
  };
  const outcome = await new OperationPipeline(operation)
    .run(request, commands)
    .catch((error: DomainError) => ({ call: undefined, result: error.code }));
  return { ...outcome, stages, stored, shares };
}

describe('the pipeline of an operation', () => {
  const order = ['identify', 'charge', 'idempotency', 'read', 'invoke'];

  it('runs its stages in the published order', async () => {
    const { result, stages } = await run(tradeOperations.create);
    expect(result).toBe('done');
    expect(stages).toEqual(order);
  });

  it.each(order)('runs no later stage if %s fails', async (broken) => {
    const { result, stages } = await run(tradeOperations.create, { broken });
    expect(result).toBe('service_unavailable');
    expect(stages).toEqual(order.slice(0, order.indexOf(broken) + 1));
  });

  it('rejects a missing credential before charging limits, and a missing permission before reading the input', async () => {
    const anonymous = await run(tradeOperations.create, { identify: async () => null });
    expect(anonymous).toMatchObject({ result: 'authentication_required', stages: [] });
    const reader = await run(tradeOperations.create, { identify: async () => actorWith('READ') });
    expect(reader).toMatchObject({ result: 'permission_denied', stages: ['charge'] });
  });

  it('needs no credential if the body contains a challenge, but ADMIN of one that is sent', async () => {
    const open = { ...tradeOperations.create, access: 'CHALLENGE' } as const;
    expect((await run(open, { identify: async () => null })).result).toBe('done');
    expect((await run(open, { identify: async () => actorWith('ADMIN') })).result).toBe('done');
    const trader = await run(open, { identify: async () => actorWith('TRADE') });
    expect(trader).toMatchObject({ result: 'permission_denied', stages: ['charge'] });
  });

  it('checks the query before the body, and the body before the path parameters', async () => {
    const wrong = { query: { no: '1' }, body: 1, params: { key: 'NOT A KEY' } };
    const params = z.object({ key: z.string().regex(/^[a-z]+$/) });
    const operation: Operation = { ...settingOperations.put, params };
    const codeFor = async (input: object) =>
      (await run(operation, { read: () => ({ ...wrong, ...input }) })).result;
    expect(await codeFor({})).toBe('invalid_query');
    expect(await codeFor({ query: {} })).toBe('validation_failed');
    expect(await codeFor({ query: {}, body: { value: 1 } })).toBe('not_found');
    expect(await codeFor({ query: {}, body: { value: 1 }, params: { key: 'theme' } })).toBe('done');
  });

  it("stores the rejection of an input under the caller's Idempotency-Key, but not for an anonymous caller", async () => {
    const idempotency = () => KEY;
    const read = () => ({ query: {}, body: {}, params: {} });
    const known = await run(tradeOperations.create, { idempotency, read });
    expect(known.result).toBe('validation_failed');
    expect(known.stored.map(({ request }) => request)).toEqual([{ userId: USER, ...KEY }]);
    const open = { ...tradeOperations.create, access: 'CHALLENGE' } as const;
    const anonymous = await run(open, { idempotency, read, identify: async () => null });
    expect(anonymous).toMatchObject({ result: 'validation_failed', stored: [] });
  });

  it('passes the idempotency context to the use-case, and ignores the Idempotency-Key of a GET operation', async () => {
    const { call } = await run(tradeOperations.create, { idempotency: () => KEY });
    expect(call?.idempotency?.request).toEqual({ userId: USER, ...KEY });
    expect(call?.actor?.idempotency).toBe(call?.idempotency);
    const reading = await run(tradeOperations.list, {
      idempotency: () => KEY,
      read: () => ({ query: {}, body: undefined, params: {} }),
    });
    expect(reading.call?.idempotency).toBeUndefined();
  });

  it('runs a use-case in the share of its user, unless it waits for another system', async () => {
    const read = () => ({ query: {}, body: {}, params: { id: TRADE_ID } });
    expect((await run(tradeOperations.create)).shares).toEqual([USER]);
    expect((await run(tradeOperations.cancel, { read })).shares).toEqual([]);
    const open = { ...tradeOperations.create, access: 'CHALLENGE' } as const;
    expect((await run(open, { identify: async () => null })).shares).toEqual([]);
  });

  it('ignores the Idempotency-Key of a computation, and passes the signal of its client', async () => {
    const { signal } = new AbortController();
    const request = {
      idempotency: () => KEY,
      disconnected: () => signal,
      read: () => ({ query: {}, body: undefined, params: { id: COPIER_ID } }),
    };
    const { call } = await run(simulationOperations.simulate, request);
    expect(call?.idempotency).toBeUndefined();
    expect(call?.actor?.signal).toBe(signal);
    const command = await run(tradeOperations.create, { disconnected: () => signal });
    expect(command.call?.actor?.signal).toBeUndefined();
  });
});
