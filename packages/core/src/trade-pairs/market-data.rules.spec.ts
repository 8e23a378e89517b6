import { CANDLES_DEFAULT } from '@trading-automation/contracts';
import { candleRange, changePercent } from './market-data.rules.js';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.parse('2026-01-31T12:34:56.789Z');
const iso = ({ from, to }: { from: number; to: number }) =>
  [from, to].map((ms) => new Date(ms).toISOString());

describe('the range of candles', () => {
  it('includes the candle of each bound', () => {
    const query = { from: '2026-01-31T08:30:00.000Z', to: '2026-01-31T10:00:00.001Z' };
    expect(iso(candleRange(HOUR_MS, query, NOW_MS))).toEqual([
      '2026-01-31T08:00:00.000Z',
      '2026-01-31T11:00:00.000Z',
    ]);
  });

  it('ends now and has the default length if the request names no bounds', () => {
    const range = candleRange(HOUR_MS, {}, NOW_MS);
    expect(iso(range)[1]).toBe('2026-01-31T13:00:00.000Z');
    // The first and the last candle are both partly in the range.
    expect((range.to - range.from) / HOUR_MS).toBe(CANDLES_DEFAULT + 1);
  });

  it('is the same for two moments of one interval, so that they share a response', () => {
    expect(candleRange(HOUR_MS, {}, NOW_MS + 60_000)).toEqual(candleRange(HOUR_MS, {}, NOW_MS));
  });

  it('has at most 1,000 candles', () => {
    const from = (hours: number) => ({ from: new Date(NOW_MS - hours * HOUR_MS).toISOString() });
    expect(candleRange(HOUR_MS, from(999), NOW_MS)).toBeDefined();
    expect(() => candleRange(HOUR_MS, from(1_000), NOW_MS)).toThrow(
      expect.objectContaining({
        code: 'invalid_query',
        details: [
          {
            field: 'from',
            code: 'range_is_too_long',
            message: expect.stringMatching(
              /^The range has 1001 candles; a response has at most 1000\. Choose /,
            ),
          },
        ],
      }),
    );
  });
});

describe('the change of a price', () => {
  it.each([
    ['80', '100', '25'],
    ['100', '80', '-20'],
    ['3', '4', '33.33'],
    [null, '100', null],
    ['100', null, null],
  ])('from %s to %s is %s percent', (from, to, percent) => {
    expect(changePercent(from, to)).toBe(percent);
  });
});
