import { watchMargins } from './margin-watch.js';

/** Runs one round, and returns what it did in order. */
async function round(accounts: readonly string[] | Error, isAborted = false) {
  const done: string[] = [];
  const errors: unknown[] = [];
  const stopping = new AbortController();
  if (isAborted) stopping.abort();
  await watchMargins(
    {
      list: async () => {
        if (accounts instanceof Error) throw accounts;
        return accounts;
      },
      read: async (accountId) => {
        done.push(`read ${accountId}`);
        if (accountId === 'broken') throw new Error('no response');
      },
      onError: (error) => errors.push(error),
      wait: async (ms) => {
        done.push(`wait ${ms}`);
      },
    },
    stopping.signal,
  );
  return { done, errors };
}

describe('the margin watch', () => {
  it('reads accounts spread evenly over 30 s', async () => {
    const { done } = await round(['a', 'b', 'c']);
    expect(done.filter((step) => step.startsWith('wait'))).toEqual([
      'wait 10000',
      'wait 10000',
      'wait 10000',
    ]);
    expect(done.filter((step) => step.startsWith('read'))).toEqual(['read a', 'read b', 'read c']);
    expect(done.indexOf('read b')).toBeGreaterThan(done.indexOf('wait 10000'));
  });

  it('makes no call without an account that has an open position, and looks again after 30 s', async () => {
    expect((await round([])).done).toEqual(['wait 30000']);
  });

  it('goes on after an account that cannot be read', async () => {
    const { done, errors } = await round(['broken', 'b']);
    expect(done).toContain('read b');
    expect(errors).toEqual([new Error('no response')]);
  });

  it('waits before it lists accounts again, if the list fails', async () => {
    const { done, errors } = await round(new Error('no database'));
    expect([done, errors]).toEqual([['wait 30000'], [new Error('no database')]]);
  });

  it('reads no further account once it is stopped', async () => {
    expect((await round(['a', 'b'], true)).done).toEqual([]);
  });
});
