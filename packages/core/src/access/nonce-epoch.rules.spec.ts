import { type NonceMemory, type NonceRow, nextNonceState } from './nonce-epoch.rules.js';

const CONFIRMED: NonceRow = {
  id: 'a',
  epoch: 'one',
  server: 's1',
  claims: 5,
  next_epoch: null,
  next_server: null,
  next_age_seconds: null,
  restarted_server: null,
  restarted_age_seconds: null,
};
const MEMORY = { epoch: 'one', server: 's1', claims: 5, isPromoted: false };
const next = (row: Partial<NonceRow>, memory: Partial<NonceMemory & { isPromoted: boolean }> = {}) =>
  nextNonceState({ ...CONFIRMED, ...row }, { ...MEMORY, ...memory });
const CHANGED = { kind: 'changed', seconds: 120 };

describe('the confirmed memory', () => {
  it('stays unchanged while its epoch and server are the same and it lost no nonce', () => {
    expect(next({})).toEqual({ kind: 'unchanged' });
    expect(next({ isFirstBoot: false }, { claims: 6 })).toEqual({ kind: 'unchanged' });
  });

  it.each([
    ['another memory', { next_epoch: 'two', next_server: 's2', next_age_seconds: 3 }],
    ['a restarted server', { restarted_server: 's2', restarted_age_seconds: 1 }],
  ])('is accepted again during the hold of %s', (_case, row) => {
    expect(next(row)).toEqual({ kind: 'accept' });
  });
});

it('the first epoch begins at once, whatever Redis contains', () => {
  expect(next({ isFirstBoot: true })).toEqual({ kind: 'begin' });
  expect(next({ isFirstBoot: true, epoch: null, server: null }, { epoch: '' })).toEqual({ kind: 'begin' });
});

describe('a memory that may have lost nonces is held for 120 s', () => {
  it.each([
    ['of another epoch', {}, { epoch: 'two' }],
    ['with fewer nonces than were recorded', {}, { claims: 4 }],
    ['without an epoch', {}, { epoch: '' }],
    ['without an epoch, if Postgres knows an empty one', { epoch: '' }, { epoch: '' }],
    ['of a promoted replica', {}, { server: 's2', isPromoted: true }],
    [
      'of another server while another memory is held',
      { next_epoch: 'two', next_server: 's3' },
      { server: 's2' },
    ],
    ['of the held epoch on another server', { next_epoch: 'two', next_server: 's3' }, { epoch: 'two' }],
    ['of another epoch on the held server', { next_epoch: 'two', next_server: 's2' }, { server: 's2' }],
    [
      'without an epoch on the held server, if the held epoch is empty',
      { next_epoch: '', next_server: 's1' },
      { epoch: '' },
    ],
  ])('%s', (_case, row, memory) => {
    expect(next(row, memory)).toEqual(CHANGED);
  });

  it.each([
    [null, { kind: 'wait', seconds: 120 }],
    [0, { kind: 'wait', seconds: 120 }],
    [119, { kind: 'wait', seconds: 1 }],
    [120, { kind: 'accept' }],
    [121, { kind: 'accept' }],
  ])('and after %p s is %j', (next_age_seconds, state) => {
    const held = { next_epoch: 'two', next_server: 's2', next_age_seconds };
    expect(next(held, { epoch: 'two', server: 's2', claims: 0 })).toEqual(state);
  });
});

describe('a server that restarted with its own data', () => {
  it.each([
    ['waits 2 s when it is first seen', null, null, { kind: 'restarted', seconds: 2 }],
    ['waits 2 s after another restart', 's3', 5, { kind: 'restarted', seconds: 2 }],
    ['waits 2 s if its age is unknown', 's2', null, { kind: 'wait', seconds: 2 }],
    ['waits the rest of the 2 s', 's2', 0.5, { kind: 'wait', seconds: 1.5 }],
    ['is accepted after 2 s', 's2', 2, { kind: 'accept' }],
    ['is accepted later', 's2', 3, { kind: 'accept' }],
  ])('%s', (_case, restarted_server, restarted_age_seconds, state) => {
    expect(next({ restarted_server, restarted_age_seconds }, { server: 's2' })).toEqual(state);
  });
});
