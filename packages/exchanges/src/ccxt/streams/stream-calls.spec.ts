import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@trading-automation/runtime/testing';
import type { StreamCall, StreamReport } from '../declaration.js';
import { StreamCalls } from './stream-calls.js';

const ended: StreamReport = { kind: 'ended' };
const call = (key: string): StreamCall => ({ kind: 'call', key, read: async () => [ended] });

describe('the calls that read what a stream does not report', () => {
  let started: string[];
  let emitted: number;
  let failures: unknown[];
  let read: (each: StreamCall) => Promise<readonly StreamReport[]>;
  let calls: StreamCalls;
  beforeEach(() => {
    [started, emitted, failures] = [[], 0, []];
    read = async () => [ended];
    calls = new StreamCalls({
      read: (each) => {
        started.push(each.key);
        return read(each);
      },
      emit: () => {
        emitted += 1;
      },
      fail: (error) => failures.push(error),
      pauseMs: 20,
    });
  });
  afterEach(() => calls.close());

  it('makes one call after a burst that arrives while another runs, and calls of other keys at once', async () => {
    for (const key of ['a', 'a', 'a', 'b']) calls.add(call(key));
    expect(started).toEqual(['a', 'b']);
    await eventually(() => emitted === 3);
    expect(started).toEqual(['a', 'b', 'a']);
    calls.add(call('a'));
    await eventually(() => emitted === 4);
    expect(started).toEqual(['a', 'b', 'a', 'a']);
  });

  it('passes nothing on after it is closed', async () => {
    calls.add(call('a'));
    calls.add(call('a'));
    calls.close();
    calls.add(call('b'));
    await sleep(40);
    expect([started, emitted, failures]).toEqual([['a'], 0, []]);
  });

  it('reports the failure of a call', async () => {
    read = () => Promise.reject(new Error('no answer'));
    calls.add(call('a'));
    await eventually(() => failures.length > 0);
    expect(failures).toEqual([new Error('no answer')]);
  });
});
