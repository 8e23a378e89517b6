import { type NonceRow, nextNonceState } from './nonce-epoch.rules.js';

const ROW: NonceRow = {
  id: 'row',
  epoch: 'first',
  server: 'a',
  claims: 7,
  next_epoch: null,
  next_server: null,
  next_age_seconds: null,
  restarted_server: null,
  restarted_age_seconds: null,
};
const MEMORY = { epoch: 'first', server: 'a', claims: 7, isPromoted: false };
const LOST = { kind: 'changed', seconds: 120 };

describe('a Redis with the epoch, the server and the nonces that Postgres knows', () => {
  it('is the confirmed one, also with more nonces', () => {
    expect(nextNonceState(ROW, MEMORY)).toEqual({ kind: 'unchanged' });
    expect(nextNonceState(ROW, { ...MEMORY, claims: 9 })).toEqual({ kind: 'unchanged' });
  });

  it('ends the hold of another server', () => {
    const held = { ...ROW, next_epoch: 'second', next_server: 'b', next_age_seconds: 5 };
    expect(nextNonceState(held, MEMORY)).toEqual({ kind: 'accept' });
    expect(nextNonceState({ ...ROW, restarted_server: 'b', restarted_age_seconds: 1 }, MEMORY)).toEqual({
      kind: 'accept',
    });
  });
});

describe('nonces count as lost for 120 s', () => {
  it.each([
    ['Redis has no epoch', { epoch: '', claims: 0 }],
    ['Redis has no epoch, but a number of nonces', { epoch: '' }],
    ['Redis has another epoch', { epoch: 'other' }],
    ['Redis has fewer nonces than Postgres knows', { claims: 6 }],
    ['Redis was a replica', { server: 'b', isPromoted: true }],
  ])('if %s', (_what, change) => {
    expect(nextNonceState(ROW, { ...MEMORY, ...change })).toEqual(LOST);
  });

  it('if Postgres knows no epoch either, unless no signed request was ever accepted', () => {
    const empty = { ...ROW, epoch: null, server: null, claims: 0 };
    const memory = { ...MEMORY, epoch: '', claims: 0 };
    expect(nextNonceState(empty, memory)).toEqual(LOST);
    expect(nextNonceState({ ...empty, isFirstBoot: true }, memory)).toEqual({ kind: 'begin' });
  });

  it('if a server restarts during the hold of another one', () => {
    const held = { ...ROW, next_epoch: 'second', next_server: 'c', next_age_seconds: 500 };
    expect(nextNonceState(held, { ...MEMORY, server: 'b' })).toEqual(LOST);
  });
});

describe('a new epoch', () => {
  const held = (seconds: number) => ({
    ...ROW,
    next_epoch: 'second',
    next_server: 'b',
    next_age_seconds: seconds,
  });
  const memory = { ...MEMORY, epoch: 'second', server: 'b', claims: 0 };

  it('is accepted 120 s after it began', () => {
    expect(nextNonceState(held(0), memory)).toEqual({ kind: 'wait', seconds: 120 });
    expect(nextNonceState(held(119), memory)).toEqual({ kind: 'wait', seconds: 1 });
    expect(nextNonceState(held(120), memory)).toEqual({ kind: 'accept' });
  });

  it('begins anew on another server, and if it is lost during the hold', () => {
    expect(nextNonceState(held(500), { ...memory, server: 'c' })).toEqual(LOST);
    expect(nextNonceState(held(500), { ...memory, epoch: '' })).toEqual(LOST);
  });
});

describe('a server that restarted with its own data', () => {
  const memory = { ...MEMORY, server: 'b' };

  it('is accepted after two seconds, in which every process reports its nonces', () => {
    expect(nextNonceState(ROW, memory)).toEqual({ kind: 'restarted', seconds: 2 });
    const since = (seconds: number) => ({
      ...ROW,
      restarted_server: 'b',
      restarted_age_seconds: seconds,
    });
    expect(nextNonceState(since(0.5), memory)).toEqual({ kind: 'wait', seconds: 1.5 });
    expect(nextNonceState(since(2), memory)).toEqual({ kind: 'accept' });
  });

  it('waits again if it restarts again', () => {
    const restarted = { ...ROW, restarted_server: 'c', restarted_age_seconds: 60 };
    expect(nextNonceState(restarted, memory)).toEqual({ kind: 'restarted', seconds: 2 });
  });
});
