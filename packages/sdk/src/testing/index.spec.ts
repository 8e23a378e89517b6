import { ERRORS, EVENT_TYPES, eventSampleText, OPERATIONS } from '@trading-automation/contracts';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { ApiError, ConnectionError } from '../core/errors.js';
import type { EventData } from '../generated/records.js';
import {
  createTestClient,
  FakeApi,
  fixture,
  type OperationId,
  signedWebhook,
  TEST_WEBHOOK_SECRET,
  webhookEvent,
} from './index.js';

/** Sends a request of an operation to an in-memory API, and asks for decimals as strings or as numbers. */
async function responseTo({ method, path }: { method: string; path: string }, decimals = 'string') {
  const accept = decimals === 'string' ? 'application/json; decimals=string' : 'application/json';
  const url = `https://api.test${path.replace(/:\w+/g, 'x')}`;
  const response = await new FakeApi().fetch(url, { method, headers: { accept } });
  return { response, body: await response.json() };
}

/** Returns the pairs of values in which two records with the same fields differ. */
function differences(one: unknown, other: unknown): [unknown, unknown][] {
  if (typeof one === 'object' && one !== null && typeof other === 'object' && other !== null) {
    expect(Object.keys(one)).toEqual(Object.keys(other));
    return Object.entries(one).flatMap(([name, value]) =>
      differences(value, (other as Record<string, unknown>)[name]),
    );
  }
  return Object.is(one, other) ? [] : [[one, other]];
}

const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the in-memory API', () => {
  it.each(
    OPERATIONS.filter(({ stream }) => stream !== true).map((operation) => [operation.id, operation] as const),
  )(
    'responds to %s according to the contract, with decimals as strings and as numbers',
    async (_id, operation) => {
      const asStrings = await responseTo(operation);
      expect(asStrings.response.status).toBe(200);
      const { success, data, pagination } = asStrings.body as {
        success: boolean;
        data: object[];
        pagination?: object;
      };
      expect([success, pagination !== undefined]).toEqual([true, operation.list !== undefined]);
      for (const item of operation.list === undefined ? [data] : data)
        expect(operation.response.safeParse(item).error?.issues).toBeUndefined();
      const asNumbers = await responseTo(operation, 'number');
      for (const [text, number] of differences(asStrings.body, asNumbers.body))
        expect([typeof text, typeof number, Number(text)]).toEqual(['string', 'number', number]);
    },
  );

  it('distinguishes a fixed path such as /v1/trades/analytics from one with an id, and rejects unknown paths', async () => {
    const { client, api } = createTestClient();
    await client.trades.analytics();
    await client.trades.get('trd_analytics');
    await client.events.types();
    await client.get('/v1/strategies/a%2Fb');
    expect(api.requests.map(({ operation, params }) => [operation, params])).toEqual([
      ['trades.analytics', {}],
      ['trades.get', { id: 'trd_analytics' }],
      ['events.types', {}],
      ['strategies.get', { id: 'a/b' }],
    ]);
    expect(await failureOf(client.get('/v1/nothing'))).toMatchObject({
      status: 404,
      code: 'route_not_found',
    });
    expect(await failureOf(client.put('/v1/trades'))).toMatchObject({ code: 'route_not_found' });
  });

  it('records each request with its path, query, body and headers, including retries', async () => {
    const { client, api } = createTestClient({ maxRetries: 1 });
    api.failOnce('settings.put', 'service_unavailable');
    await client.settings.set('desk', { dense: true }, { headers: { 'x-desk': '7' } });
    await client.trades.list({ status: 'FILLED', limit: 5 });
    expect(api.requests).toHaveLength(3);
    const [first, second] = api.requestsOf('settings.put');
    expect(first).toMatchObject({
      operation: 'settings.put',
      method: 'PUT',
      path: '/v1/settings/desk',
      params: { key: 'desk' },
      body: { value: { dense: true } },
    });
    expect(first?.headers.get('x-desk')).toBe('7');
    expect(second?.body).toEqual(first?.body);
    const [list] = api.requestsOf('trades.list');
    expect([list?.query, list?.path]).toEqual([
      { status: 'FILLED', limit: '5' },
      '/v1/trades?status=FILLED&limit=5',
    ]);
  });

  it('uses one-time responses in order, then the permanent response, then the default', async () => {
    const { client, api } = createTestClient();
    const status = async () => (await client.trades.get('trd_1')).status;
    api.answer('trades.get', { status: 'CANCELLED' });
    api.answerOnce('trades.get', { status: 'PENDING' }).answerOnce('trades.get', { status: 'FAILED' });
    expect([await status(), await status(), await status(), await status()]).toEqual([
      'PENDING',
      'FAILED',
      'CANCELLED',
      'CANCELLED',
    ]);
    api.answerOnce('trades.get', { status: 'PENDING' }).reset();
    expect([await status(), api.requests.length]).toEqual(['FILLED', 1]);
  });

  it('computes a response from the typed request', async () => {
    const { client, api } = createTestClient();
    api.answer('trades.create', async ({ body, headers }) => ({
      side: body.side,
      client_order_id: headers.get('idempotency-key') ?? 'none',
    }));
    const trade = await client.trades.create(
      { exchange_account_id: 'exa_1', trade_pair_id: 'tpr_1', type: 'MARKET', side: 'SELL', amount: '1' },
      { idempotencyKey: 'mine' },
    );
    expect(trade).toMatchObject({ side: 'SELL', client_order_id: 'mine', symbol: 'BTC/USDT' });
  });

  it('returns the requested id if its prefix is that of the returned record', async () => {
    const { client } = createTestClient();
    expect((await client.copiers.get('cpr_7')).id).toBe('cpr_7');
    expect((await client.webhooks.deadLetters.get('whk_7', 'dlq_7')).id).toBe('dlq_7');
    expect((await client.settings.get('desk')).key).toBe('desk');
    expect((await client.webhooks.test('whk_7')).id).toMatch(/^dlv_/);
    expect(await client.apiKeys.revoke('key_7')).toEqual({ id: 'key_7', deleted: true });
  });

  it('paginates configured items by cursor, so that an iteration returns each item once', async () => {
    const sizes = fc.record({ count: fc.nat({ max: 60 }), limit: fc.integer({ min: 1, max: 25 }) });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ count, limit }) => {
        const { client, api } = createTestClient();
        const ids = Array.from({ length: count }, (_, at) => `trd_${at}`);
        api.answer(
          'trades.list',
          ids.map((id) => ({ id })),
        );
        const seen: string[] = [];
        for await (const { id } of client.trades.list({ limit })) seen.push(id);
        expect(seen).toEqual(ids);
        expect(api.requests).toHaveLength(Math.max(1, Math.ceil(count / limit)));
        const { pagination } = await client.trades.list({ limit, offset: 2, include: 'total' });
        expect(pagination).toMatchObject({ limit, offset: 2, total: count });
      }),
      { numRuns: 30 },
    );
  });

  it.each(Object.entries(ERRORS))(
    'fails with the code %s, its status and its meaning',
    async (code, { status, meaning }) => {
      const { client, api } = createTestClient();
      const error = await failureOf(api.fail('me.get', code) && client.me.get());
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, code, requestId: 'req_test' });
      expect((error as Error).message).toContain(meaning);
    },
  );

  it('fails with the configured fields and headers, and rejects unknown codes', async () => {
    const { client, api } = createTestClient();
    const details = [{ field: 'amount', code: 'too_small', message: 'At least 0.00001.' }];
    api.fail('me.get', 'validation_failed', { message: 'No.', details, headers: { 'x-more': '1' } });
    const error = (await failureOf(client.me.get())) as ApiError;
    expect([error.message, error.details, error.headers.get('x-more')]).toEqual([
      'No. amount: At least 0.00001.',
      details,
      '1',
    ]);
    api.fail('me.get', 'gone_fishing');
    expect(await failureOf(client.me.get())).toMatchObject({
      message: expect.stringContaining('gone_fishing'),
    });
  });

  it('lets a client retry transient errors immediately, with one Idempotency-Key', async () => {
    const { client, api } = createTestClient({ maxRetries: 2 });
    api.failOnce('notifications.readAll', 'rate_limited').failOnce('notifications.readAll', 'internal_error');
    expect(await client.notifications.markAllRead()).toEqual({ updated: 1 });
    const keys = api.requests.map(({ headers }) => headers.get('idempotency-key'));
    expect([keys.length, new Set(keys).size, keys[0]]).toEqual([3, 1, expect.any(String)]);
  });

  it('drops the connection of the next request only, which the client does not retry by default', async () => {
    const { client, api } = createTestClient();
    api.disconnectOnce('me.get');
    expect(await failureOf(client.me.get())).toBeInstanceOf(ConnectionError);
    expect(api.requests).toHaveLength(1);
    expect(await client.me.get()).toMatchObject({ world: 'test' });
  });

  it("throws the signal's reason if a request is aborted while the response is computed", async () => {
    const { client, api } = createTestClient();
    const abort = new AbortController();
    const reason = new Error('enough');
    api.answer('me.get', () => {
      abort.abort(reason);
      return {};
    });
    expect(await failureOf(client.me.get({ signal: abort.signal }))).toBe(reason);
  });

  it('streams the configured events after lastEventId', async () => {
    const { client, api } = createTestClient();
    const events = ['evt_1', 'evt_2', 'evt_3'].map((event_id) =>
      webhookEvent('trade.filled', { symbol: 'ETH/USDT' }, { event_id }),
    );
    api.answer('events.stream', events);
    const firstOf = async (lastEventId?: string) => {
      for await (const event of client.events.stream({}, lastEventId === undefined ? {} : { lastEventId }))
        return event;
      return undefined;
    };
    expect(await firstOf()).toEqual(events[0]);
    expect(await firstOf('evt_2')).toEqual(events[2]);
  });

  it('returns the configured GraphQL data, and an error if none is configured', async () => {
    const { client, api } = createTestClient();
    expect(await failureOf(client.graphql('{ me { id } }'))).toMatchObject({
      message: expect.stringContaining('answerGraphql'),
    });
    api.answerGraphql(({ variables }) => ({ trade: { id: variables.id } }));
    const document = 'query ($id: ID!) { trade(id: $id) { id } }';
    expect(await client.graphql(document, { id: 'trd_1' })).toEqual({ trade: { id: 'trd_1' } });
    expect(api.graphqlRequests.map(({ query }) => query)).toEqual(['{ me { id } }', document]);
  });
});

describe('a test client', () => {
  it('reads decimals in the configured form', async () => {
    expect((await createTestClient().client.trades.get('trd_1')).amount).toBe(0.25);
    const { client, api } = createTestClient({ decimals: 'string' });
    expect((await client.trades.get('trd_1')).amount).toBe('0.25');
    api.answer('trades.get', { amount: '0.100' });
    expect((await client.trades.get('trd_1')).amount).toBe('0.100');
  });

  it('signs requests if it has a signer', async () => {
    const signer = { publicKey: '02'.padEnd(66, '0'), sign: () => new Uint8Array(64) };
    const { client, api } = createTestClient({ signer });
    await client.me.get();
    const headers = api.requests[0]?.headers;
    expect([headers?.get('x-svc-pubkey'), headers?.get('x-api-key')]).toEqual([signer.publicKey, null]);
  });
});

describe('test records', () => {
  it.each(OPERATIONS.map(({ id }) => id as OperationId))('exist for %s and accept changes', (id) => {
    const changed = fixture(id, { extra: 1 } as object) as object;
    expect(changed).toEqual({ ...(fixture(id) as object), extra: 1 });
  });

  it('have decimals in the requested form, numbers by default', () => {
    expect([fixture('trades.get').amount, fixture('trades.get', {}, 'string').amount]).toEqual([
      0.25,
      '0.25',
    ]);
  });

  it('are new objects each time', () => {
    fixture('trades.get').fills.length = 0;
    expect(fixture('trades.get').fills).toHaveLength(2);
  });

  it.each(EVENT_TYPES)(
    'include an event of type %s that equals the sample of the contract',
    (type: keyof EventData) => {
      expect(webhookEvent(type)).toEqual(JSON.parse(eventSampleText(type)));
    },
  );

  it('include signed webhooks that the standardwebhooks library verifies', () => {
    const event = webhookEvent('copier.drift', { name: 'mine' }, { event_id: 'evt_9' });
    const { payload, headers, secret } = signedWebhook(event);
    expect(secret).toBe(TEST_WEBHOOK_SECRET);
    expect(new Webhook(secret).verify(payload, headers)).toEqual(event);
    expect(headers).toMatchObject({ 'webhook-id': 'evt_9', 'content-type': 'application/json' });
    const old = signedWebhook(event, { sentAt: new Date(1_000_000) });
    expect(() => new Webhook(secret).verify(old.payload, old.headers)).toThrow('too old');
  });
});
