import { z } from 'zod';
import { analyticsOperations } from './analytics.js';
import { deadLetterOperations } from './dead-letters.js';
import { JsonNumber } from './decimal.js';
import { ERRORS } from './errors.js';
import { EVENT_SELECTORS, EVENT_TYPES, isSubscribed } from './events.js';
import { defineOperation, PERMISSIONS, permits } from './operation.js';
import { OPERATIONS } from './operations.js';
import { compileSerializer } from './serializer.js';
import { SETTING_VALUE_MAX_BYTES, settingPut } from './settings.js';
import { tradeCreate } from './trades.js';
import { webhookCreate } from './webhooks.js';

describe('operations', () => {
  it('have unique ids and routes', () => {
    expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length);
    expect(new Set(OPERATIONS.map(({ method, path }) => `${method} ${path}`)).size).toBe(OPERATIONS.length);
  });

  it('declare exactly the parameters of their path', () => {
    for (const { path, params } of OPERATIONS) {
      const pathNames = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(params?.shape ?? {})).toEqual(pathNames);
    }
  });

  it('have responses that the serializer supports', () => {
    for (const { response } of OPERATIONS) expect(compileSerializer(response)).toBeInstanceOf(Function);
  });

  it('do not compile without `access`', () => {
    const withoutAccess = {
      id: 'a.b',
      method: 'GET',
      path: '/v1/a',
      summary: 'A.',
      status: 200,
      errors: [],
    } as const;
    // @ts-expect-error The build fails for an operation without `access`.
    const operation = defineOperation({ ...withoutAccess, response: z.object({}) });
    expect(operation).not.toHaveProperty('access');
    for (const { access } of OPERATIONS) expect(['PUBLIC', 'CHALLENGE', ...PERMISSIONS]).toContain(access);
  });

  it('reject unknown body fields', () => {
    for (const { body } of OPERATIONS) {
      if (!body) continue;
      const codes = body.safeParse({ unknown_field: 1 }).error?.issues.map(({ code }) => code);
      expect(codes).toContain('unrecognized_keys');
    }
  });

  it('can sort every list by created_at', () => {
    const lists = OPERATIONS.flatMap(({ list }) => list ?? []);
    expect(lists.length).toBeGreaterThan(4);
    for (const list of lists) expect(list.sorts).toContain('created_at');
  });
});

describe('permissions', () => {
  it.each([
    [['READ'], 'READ', true],
    [['TRADE'], 'READ', true],
    [['WITHDRAW'], 'READ', true],
    [['READ'], 'TRADE', false],
    [['TRADE'], 'WITHDRAW', false],
    [['TRADE', 'WITHDRAW'], 'ADMIN', false],
    [['ADMIN'], 'WITHDRAW', true],
    [[], 'READ', false],
  ] as const)('%j allow an operation that requires %s: %p', (held, needed, expected) => {
    expect(permits(held, needed)).toBe(expected);
  });
});

describe('errors', () => {
  it('have a meaning and a resolution in full sentences', () => {
    for (const { meaning, resolution, status } of Object.values(ERRORS)) {
      expect(meaning).toMatch(/^[A-Z].*\.$/);
      expect(resolution).toMatch(/^[A-Z].*\.$/);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('a new trade', () => {
  const order = {
    exchange_account_id: 'exa_01h455vb4pex5vsknk084sn02q',
    trade_pair_id: 'tpr_01h455vb4pex5vsknk084sn02q',
    type: 'LIMIT',
    side: 'BUY',
    amount: 1,
    price: 2,
  };
  const issueOf = (body: object) =>
    tradeCreate.safeParse(body).error?.issues.map((issue) => ({
      field: issue.path.join('.'),
      code: issue.code === 'custom' ? issue.params?.code : issue.code,
    }));

  it('is valid with the six required fields and defaults the rest', () => {
    expect(tradeCreate.parse(order)).toEqual({
      ...order,
      amount: '1',
      price: '2',
      time_in_force: 'GTC',
      reduce_only: false,
      auto_borrow: false,
    });
  });

  it.each([
    ['no price on LIMIT', { price: undefined }, { field: 'price', code: 'required' }],
    ['a price on MARKET', { type: 'MARKET' }, { field: 'price', code: 'not_allowed' }],
    ['no stop price on STOP_LIMIT', { type: 'STOP_LIMIT' }, { field: 'stop_price', code: 'required' }],
    ['a stop price on LIMIT', { stop_price: 3 }, { field: 'stop_price', code: 'not_allowed' }],
    [
      'POST_ONLY on MARKET',
      { type: 'MARKET', price: undefined, time_in_force: 'POST_ONLY' },
      { field: 'time_in_force', code: 'not_allowed' },
    ],
    [
      'POST_ONLY on STOP_LIMIT',
      { type: 'STOP_LIMIT', stop_price: 3, time_in_force: 'POST_ONLY' },
      { field: 'time_in_force', code: 'not_allowed' },
    ],
    ['a negative amount', { amount: -1 }, { field: 'amount', code: 'not_positive' }],
    ['19 decimals', { amount: '0.0000000000000000001' }, { field: 'amount', code: 'too_many_decimals' }],
    ['an unknown field', { user_id: 'x' }, { field: '', code: 'unrecognized_keys' }],
  ])('is rejected if it has %s', (_case, change, issue) => {
    expect(issueOf({ ...order, ...change })).toEqual([issue]);
  });
});

describe('event subscriptions', () => {
  it('cover an event type by its name, its subject or *', () => {
    for (const type of EVENT_TYPES) {
      const subject = type.slice(0, type.indexOf('.'));
      expect(isSubscribed([type], type)).toBe(true);
      expect(isSubscribed([`${subject}.*`], type)).toBe(true);
      expect(isSubscribed(['*'], type)).toBe(true);
      expect(
        isSubscribed(
          EVENT_TYPES.filter((other) => other !== type),
          type,
        ),
      ).toBe(false);
    }
    expect(EVENT_SELECTORS).toContain('trade.*');
  });

  it('reject event types that do not exist', () => {
    const parse = (events: string[]) =>
      webhookCreate.safeParse({ url: 'https://example.com', events }).success;
    expect(parse(['trade.filled', 'copier.*'])).toBe(true);
    expect(parse(['trade.exploded'])).toBe(false);
    expect(parse(['trad.*'])).toBe(false);
  });
});

describe('a time range', () => {
  const issuesOf = (body: object) =>
    deadLetterOperations.retryMany.body
      .safeParse(body)
      .error?.issues.map((issue) => [
        issue.path.join('.'),
        issue.code === 'custom' ? issue.params?.code : issue.code,
      ]);
  const [EARLY, LATE] = ['2026-01-31T08:00:00Z', '2026-01-31T12:00:00.000Z'];

  it.each([{}, { from: EARLY }, { to: LATE }, { from: EARLY, to: LATE }])('may lack a bound: %j', (range) => {
    expect(issuesOf(range)).toBeUndefined();
  });

  it.each([
    { from: LATE, to: EARLY },
    { from: LATE, to: LATE },
    { from: '2026-01-31T12:00:00+01:00', to: '2026-01-31T10:59:59Z' },
  ])('must not be empty: %j', (range) => {
    expect(issuesOf(range)).toEqual([['to', 'range_is_empty']]);
  });

  it.each(['yesterday', '2026-01-31', '2026-01-31T12:00:00', 1_769_860_800, null, ''])(
    'must not start at %j, which is not an instant with a time zone',
    (from) => {
      expect(issuesOf({ from })?.[0]?.[0]).toBe('from');
    },
  );
});

describe('the query of analytics', () => {
  const check = (query: Record<string, string>) => analyticsOperations.get.query.safeParse(query);

  it.each([
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, 'to'],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:30:00+01:00' }, 'to'],
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2026-01-02T00:00:00' }, 'from'],
    [{ interval: 'hour' }, 'interval'],
  ])('rejects %j and names the parameter', (query, field) => {
    expect(check(query).error?.issues.map(({ path }) => path)).toEqual([[field]]);
  });

  it('rejects unknown parameters, including those of lists', () => {
    expect(check({ limit: '1' }).error?.issues).toMatchObject([
      { code: 'unrecognized_keys', keys: ['limit'] },
    ]);
  });

  it('has no filter and the interval `day` by default, and accepts instants with any offset', () => {
    expect(check({}).data).toEqual({ interval: 'day' });
    const range = { from: '2026-01-02T00:00:00+02:00', to: '2026-01-02T00:00:00Z', interval: 'week' };
    expect(check(range).data).toEqual(range);
  });
});

describe('the value of a setting', () => {
  const codesOf = (body: unknown) =>
    settingPut
      .safeParse(body)
      .error?.issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : issue.code));

  it.each([
    null,
    false,
    0,
    '',
    [],
    {},
    new JsonNumber('1e999'),
    { list: [{ nested: new JsonNumber('0.1000000000000000000000001') }] },
  ])('may be %j, which validation leaves unchanged', (value) => {
    expect(settingPut.parse({ value }).value).toBe(value);
  });

  it('is required and the only field', () => {
    expect(codesOf({})).toHaveLength(1);
    expect(codesOf({ value: 1, key: 'k' })).toEqual(['unrecognized_keys']);
  });

  it('is limited to exactly 16 KiB of JSON in UTF-8', () => {
    const quotes = 2;
    const maxLength = SETTING_VALUE_MAX_BYTES - quotes;
    expect(codesOf({ value: 'a'.repeat(maxLength) })).toBeUndefined();
    expect(codesOf({ value: 'a'.repeat(maxLength + 1) })).toEqual(['too_big']);
    expect(codesOf({ value: 'é'.repeat(maxLength / 2) })).toBeUndefined();
    expect(codesOf({ value: 'é'.repeat(maxLength / 2 + 1) })).toEqual(['too_big']);
    expect(codesOf({ value: new JsonNumber('1'.repeat(SETTING_VALUE_MAX_BYTES + 1)) })).toEqual(['too_big']);
  });
});
