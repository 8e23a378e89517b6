import { pairOf, reckon, wrongsOf } from './reconcile.mjs';

/** One user, one webhook and one event, delivered at the first attempt; each test changes what it is about. */
const hook = { id: 'w', publicId: 'whk_1', userId: 'user', secret: '', url: '', events: ['*'] };
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
const known = (more = {}) => ({
  events: [event],
  hooks: [hook],
  rows: [row],
  receipts: [receipt],
  excused: new Set(),
  ...more,
});
const wrongs = (more) => wrongsOf(reckon(known(more)));

it('finds nothing wrong where everything owed was delivered once', () => {
  expect(reckon(known())).toEqual({
    events: 1,
    webhooks: 1,
    owed: 1,
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
  expect(wrongs()).toEqual([]);
});

it.each([
  ['no delivery was ever made of it', { rows: [], receipts: [] }],
  ['Postgres says delivered, and no receiver got it', { receipts: [] }],
  ['Postgres says delivered, and the receiver had refused it', { receipts: [{ ...receipt, status: 500 }] }],
  ['it is dead without a dead letter', { rows: [{ ...row, status: 'DEAD' }] }],
])('calls an event lost where %s', (_how, more) => {
  expect(reckon(known(more))).toMatchObject({ lost: 1, addsUp: false });
  expect(wrongs(more)).toContain('lost 1');
});

it.each([
  ['dead', { status: 'DEAD', hasDeadLetter: true }],
  ['discarded', { status: 'DISCARDED' }],
  ['waiting', { status: 'DUE' }],
  ['waiting', { status: 'SENDING' }],
])('counts what is %s as that, and not as lost', (fate, state) => {
  expect(reckon(known({ rows: [{ ...row, ...state }] }))).toMatchObject({ lost: 0, [fate]: 1, addsUp: true });
});

it('owes an event to the webhooks of its user alone, and to those that subscribed to its kind', () => {
  const hooks = [
    hook,
    { ...hook, publicId: 'whk_2', events: ['key.created'] },
    { ...hook, publicId: 'whk_3', userId: 'another' },
  ];
  expect(reckon(known({ hooks }))).toMatchObject({ webhooks: 3, owed: 1, delivered: 1 });
});

it('calls a request a duplicate after one that was accepted, or of an attempt that came before', () => {
  const after = { receipts: [receipt, { ...receipt, attempt: 2 }] };
  const again = { receipts: [{ ...receipt, status: undefined }, receipt] };
  for (const more of [after, again]) {
    expect(reckon(known(more))).toMatchObject({ duplicates: 1, unexplained: 1 });
    const excused = new Set([pairOf('whk_1', 'evt_1')]);
    expect(reckon(known({ ...more, excused }))).toMatchObject({ duplicates: 1, unexplained: 0 });
    expect(wrongsOf(reckon(known({ ...more, excused })), { duplicatesMax: 1 })).toEqual([]);
  }
  const retried = {
    receipts: [
      { ...receipt, status: 503 },
      { ...receipt, attempt: 2 },
    ],
  };
  expect(reckon(known(retried))).toMatchObject({ duplicates: 0, delivered: 1 });
});

it('takes a deliberate retry for none, and judges the event by its last run', () => {
  const rows = [
    { ...row, status: 'DEAD', hasDeadLetter: true },
    { ...row, run: 1 },
  ];
  const receipts = [{ ...receipt, status: 500 }, receipt];
  expect(reckon(known({ rows, receipts }))).toMatchObject({ delivered: 1, dead: 0, duplicates: 0 });
});

it('calls an attempt early where it came before the time that was stored, to the millisecond', () => {
  const at = (second) => [
    { ...receipt, status: 500 },
    { ...receipt, attempt: 2, at: second },
  ];
  const rows = [{ ...row, nextAts: [2_000.7] }];
  expect(reckon(known({ rows, receipts: at(1_999) })).early).toBe(1);
  expect(reckon(known({ rows, receipts: at(2_000) })).early).toBe(0);
});

it('reports signatures that do not verify, bodies that differ, and stuck deliveries', () => {
  expect(wrongs({ receipts: [{ ...receipt, verified: false }] })).toEqual(['badSignatures 1']);
  const bodies = [
    { ...receipt, status: 500 },
    { ...receipt, attempt: 2, bodyHash: 'b' },
  ];
  expect(wrongs({ receipts: bodies })).toEqual(['bodyVariants 2']);
  const overdue = { rows: [{ ...row, status: 'DUE', isOverdue: true }], receipts: [] };
  expect(wrongs(overdue)).toEqual(['stuck 1', 'waiting 1']);
});
