import { createLogger } from '@trading-automation/runtime';
import type { AccountStreams } from './account-streams.js';
import { StreamRecorder } from './stream-recorder.js';
import { StreamStates } from './stream-states.js';

type Parts = ConstructorParameters<typeof StreamRecorder>;

/** Records with an order writer whose writes the test ends. */
function record() {
  const stored: string[] = [];
  const writes: { readonly end: () => void; readonly fail: () => void }[] = [];
  const writer = {
    add: () =>
      new Promise<void>((resolve, reject) => {
        writes.push({ end: resolve, fail: () => reject(new Error('The database is down.')) });
      }),
  };
  const balances = { onStreamUpdate: (accountId: string) => stored.push(accountId) };
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const positions = {
    hold: () => held,
    onStreamUpdate: (accountId: string) => stored.push(`positions of ${accountId}`),
  };
  const streams = { reconcileSoon: () => undefined } as unknown as AccountStreams;
  const recorder = new StreamRecorder(
    writer as unknown as Parts[0],
    balances as unknown as Parts[1],
    positions as unknown as Parts[2],
    new StreamStates(streams, createLogger('spec', 'silent')),
  );
  const order = (accountId: string) => recorder.recordOrder({ accountId, order: {} as never, fills: [] });
  const update = (accountId: string) =>
    recorder.recordBalances(accountId, { balances: {}, at: new Date(0), seen: [] });
  const updatePositions = (accountId: string) => recorder.recordPositions(accountId, [], new Date(0));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { stored, writes, order, update, updatePositions, release, settled };
}

describe('balances from an account stream', () => {
  it('are stored after the orders that the stream reported before them, also if these cannot be stored', async () => {
    const { stored, writes, order, update, settled } = record();
    order('a');
    order('a');
    update('a');
    writes[0]!.end();
    await settled();
    expect(stored).toEqual([]);
    writes[1]!.fail();
    await settled();
    expect(stored).toEqual(['a']);
  });

  it('do not wait for orders of other accounts, nor for orders that are stored', async () => {
    const { stored, writes, order, update, settled } = record();
    order('a');
    update('b');
    expect(stored).toEqual(['b']);
    writes[0]!.end();
    await settled();
    update('a');
    expect(stored).toEqual(['b', 'a']);
  });
});

describe('positions from an account stream', () => {
  it('are stored after the orders that the stream reported before them and shortly after them', async () => {
    const { stored, writes, order, updatePositions, release, settled } = record();
    order('a');
    updatePositions('a');
    writes[0]!.end();
    order('a');
    release();
    await settled();
    expect(stored).toEqual([]);
    writes[1]!.end();
    await settled();
    expect(stored).toEqual(['positions of a']);
  });
});
