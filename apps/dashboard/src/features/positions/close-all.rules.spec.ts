import { type CloseProgress, closeAll } from './close-all.rules';

describe('closeAll', () => {
  it('goes on after a failure, and reports both', async () => {
    const reports: CloseProgress<string, string>[] = [];
    const close = async (lot: string) => {
      if (lot === 'b') throw new Error('too small');
      return `trade of ${lot}`;
    };
    await closeAll(
      ['a', 'b', 'c'],
      close,
      (progress) => reports.push(progress),
      () => false,
    );
    expect(reports.map(({ done }) => done)).toEqual([1, 2, 3]);
    expect(reports.at(-1)).toEqual({
      total: 3,
      done: 3,
      closed: [
        { lot: 'a', trade: 'trade of a' },
        { lot: 'c', trade: 'trade of c' },
      ],
      failed: [{ lot: 'b', error: new Error('too small') }],
    });
  });

  it('closes no further lot once it is stopped', async () => {
    const closed: string[] = [];
    const close = async (lot: string) => closed.push(lot);
    await closeAll(
      ['a', 'b', 'c'],
      close,
      () => undefined,
      () => closed.length === 2,
    );
    expect(closed).toEqual(['a', 'b']);
  });
});
