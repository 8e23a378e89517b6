import { computeFigures, findViolations, pairOf } from './reconcile.mjs';

/** One user, one webhook and one event that was delivered at the first attempt. Each test changes a part of this. */
const webhook = { id: 'w', publicId: 'whk_1', userId: 'user', secret: '', url: '', events: ['*'] };
const event = { id: 'e', publicId: 'evt_1', userId: 'user', type: 'trade.created' };
const row = {
  webhook: 'whk_1',
  event: 'evt_1',
  run: 0,
  status: 'SUCCEEDED',
  hasDeadLetter: false,
  isOverdue: false,
  nextAts: [],
};
const receipt = {
  webhookId: 'whk_1',
  eventId: 'evt_1',
  attempt: 1,
  at: 1_000,
  bodyHash: 'a',
  verified: true,
  status: 204,
};
const input = (changes = {}) => ({
  events: [event],
  webhooks: [webhook],
  rows: [row],
  receipts: [receipt],
  explained: new Set(),
  ...changes,
});
const violations = (changes) => findViolations(computeFigures(input(changes)));

it('reports no violation if every due event was delivered once', () => {
  expect(computeFigures(input())).toEqual({
    events: 1,
    webhooks: 1,
    expected: 1,
    requests: 1,
    delivered: 1,
    waiting: 0,
    dead: 0,
    discarded: 0,
    lost: 0,
    duplicates: 0,
    unexplained: 0,
    early: 0,
    badSignatures: 0,
    bodyVariants: 1,
    stuck: 0,
    addsUp: true,
  });
  expect(violations()).toEqual([]);
});

it.each([
  ['it has no delivery', { rows: [], receipts: [] }],
  ['Postgres recorded a success and no receiver got it', { receipts: [] }],
  [
    'Postgres recorded a success and the receiver had rejected it',
    { receipts: [{ ...receipt, status: 500 }] },
  ],
  ['it is dead without a dead letter', { rows: [{ ...row, status: 'DEAD' }] }],
])('counts an event as lost if %s', (_how, changes) => {
  expect(computeFigures(input(changes))).toMatchObject({ lost: 1, addsUp: false });
  expect(violations(changes)).toContain('lost 1');
});

it.each([
  ['dead', { status: 'DEAD', hasDeadLetter: true }],
  ['discarded', { status: 'DISCARDED' }],
  ['waiting', { status: 'DUE' }],
  ['waiting', { status: 'SENDING' }],
])('counts a delivery as %s and not as lost for %j', (fate, state) => {
  expect(computeFigures(input({ rows: [{ ...row, ...state }] }))).toMatchObject({
    lost: 0,
    [fate]: 1,
    addsUp: true,
  });
});

it('expects an event only at webhooks of its user that subscribe to its type', () => {
  const webhooks = [
    webhook,
    { ...webhook, publicId: 'whk_2', events: ['key.created'] },
    { ...webhook, publicId: 'whk_3', userId: 'another' },
  ];
  expect(computeFigures(input({ webhooks }))).toMatchObject({ webhooks: 3, expected: 1, delivered: 1 });
});

it('counts a request as a duplicate after an accepted one, or if its attempt had already arrived', () => {
  const after = { receipts: [receipt, { ...receipt, attempt: 2 }] };
  const again = { receipts: [{ ...receipt, status: undefined }, receipt] };
  for (const changes of [after, again]) {
    expect(computeFigures(input(changes))).toMatchObject({ duplicates: 1, unexplained: 1 });
    const explained = new Set([pairOf('whk_1', 'evt_1')]);
    expect(computeFigures(input({ ...changes, explained }))).toMatchObject({ duplicates: 1, unexplained: 0 });
    expect(findViolations(computeFigures(input({ ...changes, explained })), { duplicatesMax: 1 })).toEqual(
      [],
    );
  }
  const retried = {
    receipts: [
      { ...receipt, status: 503 },
      { ...receipt, attempt: 2 },
    ],
  };
  expect(computeFigures(input(retried))).toMatchObject({ duplicates: 0, delivered: 1 });
});

it('does not count a manual retry as a duplicate, and judges the event by its latest run', () => {
  const rows = [
    { ...row, status: 'DEAD', hasDeadLetter: true },
    { ...row, run: 1 },
  ];
  const receipts = [{ ...receipt, status: 500 }, receipt];
  expect(computeFigures(input({ rows, receipts }))).toMatchObject({ delivered: 1, dead: 0, duplicates: 0 });
});

it('counts an attempt as early if it arrived before its stored time, to the millisecond', () => {
  const receiptsWithRetryAt = (at) => [
    { ...receipt, status: 500 },
    { ...receipt, attempt: 2, at },
  ];
  const rows = [{ ...row, nextAts: [2_000.7] }];
  expect(computeFigures(input({ rows, receipts: receiptsWithRetryAt(1_999) })).early).toBe(1);
  expect(computeFigures(input({ rows, receipts: receiptsWithRetryAt(2_000) })).early).toBe(0);
});

it('reports invalid signatures, different bodies of one event, and stuck deliveries', () => {
  expect(violations({ receipts: [{ ...receipt, verified: false }] })).toEqual(['badSignatures 1']);
  const bodies = [
    { ...receipt, status: 500 },
    { ...receipt, attempt: 2, bodyHash: 'b' },
  ];
  expect(violations({ receipts: bodies })).toEqual(['bodyVariants 2']);
  const overdue = { rows: [{ ...row, status: 'DUE', isOverdue: true }], receipts: [] };
  expect(violations(overdue)).toEqual(['stuck 1', 'waiting 1']);
});
