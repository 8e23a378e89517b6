import { randomUUID } from 'node:crypto';
import { encodeId } from '@trading-automation/contracts';
import type { Platform } from '@trading-automation/core';
import {
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

let api: TestRestApi;
let platform: Platform;
let owner: KeyPair;
let strategyId: string;
let copierId: string;

beforeAll(async () => {
  api = await startTestRestApi();
  platform = await api.openSecondPlatform();
});
afterAll(() => api.close());
beforeEach(async () => {
  owner = await openAccount(api);
  strategyId = await create('/v1/strategies', {
    name: 's',
    exchange_account_id: await createExchangeAccount(),
  });
  copierId = await create('/v1/copiers', {
    name: 'c',
    exchange_account_id: await createExchangeAccount(),
    strategy_id: strategyId,
    sizing: { mode: 'MULTIPLIER', value: 0.1 },
    limits: { max_trade_quote: '100.000000000000000001' },
  });
});

const call = (method: string, target: string, body?: object, headers: Record<string, string> = {}) =>
  sendSigned(api, owner, method, target, { body, headers });

async function create(path: string, body: object): Promise<string> {
  const { status, headers, json } = await call('POST', path, body);
  const { id } = json.data as { id: string };
  expect([status, headers.location]).toEqual([201, `${path}/${id}`]);
  return id;
}

/** Inserts a synced exchange account directly, because no exchange can check its credentials in this test. */
async function createExchangeAccount(): Promise<string> {
  const id = randomUUID();
  await platform.database.query(
    `INSERT INTO exchange_accounts (id, user_id, exchange, account_name, trading_type, is_active, can_withdraw,
       credentials_sealed, balances_taken_at)
     SELECT $1, user_id, 'paper', 'mine', 'spot', true, false, 'sealed', clock_timestamp() FROM public_keys WHERE pubkey = $2`,
    [id, owner.publicKey],
  );
  return encodeId('exa', id);
}

describe('copiers over HTTP', () => {
  it('return every decimal with all its digits, as a JSON number or, if Accept requests it, as a string', async () => {
    const { text } = await call('GET', `/v1/copiers/${copierId}`);
    expect(text).toContain('"max_trade_quote":100.000000000000000001');
    expect(text).toContain('"sizing":{"mode":"MULTIPLIER","value":0.1}');
    const stringDecimals = { accept: 'application/json; decimals=string' };
    const { json } = await call('GET', `/v1/copiers/${copierId}`, undefined, stringDecimals);
    expect(json.data).toMatchObject({ sizing: { value: '0.1' }, stats: { net_pnl: '0' } });
  });

  it('can be started without a body, and stopped with or without one', async () => {
    const start = await call('POST', `/v1/copiers/${copierId}/start`);
    expect([start.status, start.json.data]).toMatchObject([200, { status: 'ACTIVE' }]);
    const stop = await call('POST', `/v1/copiers/${copierId}/stop`, { mode: 'CLOSE_ONLY' });
    expect([stop.status, stop.json.data]).toMatchObject([200, { status: 'CLOSE_ONLY', open_lots: [] }]);
    const pause = await call('POST', `/v1/copiers/${copierId}/stop`);
    expect([pause.status, pause.json.data]).toMatchObject([200, { status: 'PAUSED', open_lots: [] }]);
  });

  it('are not started by a body with an unknown field', async () => {
    const { status, json } = await call('POST', `/v1/copiers/${copierId}/start`, { mode: 'PAUSED' });
    expect([status, json.error]).toMatchObject([422, { details: [{ field: 'mode' }] }]);
  });

  it('are updated, listed and deleted', async () => {
    const changed = await call('PATCH', `/v1/copiers/${copierId}`, { name: 'Renamed', strategy_id: null });
    expect(changed.json.data).toMatchObject({ name: 'Renamed' });
    expect(changed.json.data).not.toHaveProperty('strategy_id');
    const listed = await call('GET', '/v1/copiers?status=PAUSED&include=total');
    expect(listed.json).toMatchObject({ data: [{ id: copierId }], pagination: { total: 1 } });
    const removed = await call('DELETE', `/v1/copiers/${copierId}`);
    expect([removed.status, removed.json.data]).toEqual([200, { id: copierId, deleted: true }]);
  });
});

describe('strategies over HTTP', () => {
  it('with an active copier are deleted only by a body that stops the copier', async () => {
    await call('POST', `/v1/copiers/${copierId}/start`);
    const rejected = await call('DELETE', `/v1/strategies/${strategyId}`);
    expect([rejected.status, rejected.json.error]).toMatchObject([409, { code: 'invalid_state' }]);
    const removed = await call('DELETE', `/v1/strategies/${strategyId}`, { stop_copiers: true });
    expect([removed.status, removed.json.data]).toEqual([200, { id: strategyId, deleted: true }]);
    const { json } = await call('GET', `/v1/copiers/${copierId}`);
    expect(json.data).toMatchObject({ status: 'PAUSED', status_reason: 'STRATEGY_ARCHIVED' });
  });

  it('are linked to copiers, updated, retrieved and listed', async () => {
    const link = { copier_ids: [copierId] };
    const linked = await call('POST', `/v1/strategies/${strategyId}/copiers`, link);
    expect([linked.status, linked.json.data]).toMatchObject([200, { id: strategyId, copier_count: 1 }]);
    const changed = await call('PATCH', `/v1/strategies/${strategyId}`, { visibility: 'PUBLIC' });
    expect((await call('GET', `/v1/strategies/${strategyId}`)).json).toEqual(changed.json);
    const { json } = await call('GET', '/v1/strategies?visibility=PUBLIC');
    expect(json.data).toEqual([changed.json.data]);
    expect(changed.json.data).toMatchObject({ performance: { win_rate: null, net_pnl: 0 } });
  });
});

describe('/v1/emergency-stop', () => {
  it('takes no body, returns its findings, and replays its first response for the same Idempotency-Key', async () => {
    const holder = await openAccount(api);
    const headers = { 'idempotency-key': 'stop' };
    const run = () => sendSigned(api, holder, 'POST', '/v1/emergency-stop', { headers });
    const [first, again] = [await run(), await run()];
    expect([first.status, first.json.data]).toEqual([
      200,
      { paused_copiers: [], cancelled: [], ended_otherwise: [], still_open: [], open_lots: [], closing: [] },
    ]);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });
});
