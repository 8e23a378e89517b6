import { mergeReport, type ReportedBalances, type StoredBalances } from './venue-balances.rules.js';

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
const EMPTY: StoredBalances = { balances: {}, venueBalances: {}, venueBalancesAt: null, takenAt: null };
const free = (amount: string) => ({ free: amount, locked: '0' });

/** A report at venue time `ms`, received at the database's microsecond `received`. */
const report = (
  source: ReportedBalances['source'],
  ms: number,
  received: number,
  balances: ReportedBalances['balances'],
): ReportedBalances => ({ source, balances, at: at(ms), until: at(ms), received, seen: [] });

const merge = (...reports: readonly ReportedBalances[]) => reports.reduce<StoredBalances>(mergeReport, EMPTY);

describe('reports of balances', () => {
  const first = report('SNAPSHOT', 10, 100, { USDT: free('100'), BTC: free('1') });

  it('replace older ones for each asset alone, whether the amount rises or falls', () => {
    const merged = merge(
      first,
      report('STREAM', 20, 200, { USDT: free('40') }),
      report('STREAM', 15, 300, { USDT: free('90'), BTC: free('2') }),
    );
    expect(merged.balances).toEqual({ USDT: free('40'), BTC: free('2') });
  });

  it('of a snapshot that was dated before a stream’s report do not replace it, and do not restore an asset that is used up', () => {
    const usedUp = report('STREAM', 20, 200, { USDT: free('0') });
    const late = report('SNAPSHOT', 15, 300, { USDT: free('100'), BTC: free('3') });
    expect(merge(first, usedUp, late).balances).toEqual({ BTC: free('3') });
  });

  it('of a snapshot set every asset that it lacks to zero', () => {
    expect(merge(first, report('SNAPSHOT', 20, 200, { BTC: free('1') }))).toMatchObject({
      balances: { BTC: free('1') },
      venueBalances: { BTC: { at: at(20).toISOString() } },
    });
  });

  it('of the same millisecond follow the stream; a snapshot replaces them only if it was requested after they arrived', () => {
    const streamed = report('STREAM', 10, 200, { USDT: free('60') });
    const before = report('SNAPSHOT', 10, 150, { USDT: free('100') });
    const after = report('SNAPSHOT', 10, 250, { USDT: free('50') });
    expect(merge(first, streamed).balances.USDT).toEqual(free('60'));
    expect(merge(first, streamed, before).balances.USDT).toEqual(free('60'));
    expect(merge(first, streamed, after).balances.USDT).toEqual(free('50'));
  });

  it('replace balances of the previous release if they are received later; those count until then', () => {
    const stored = merge(first);
    const rewritten = { ...stored, balances: { USDT: free('70'), BTC: free('1') }, takenAt: 500 };
    const early = mergeReport(rewritten, report('STREAM', 30, 400, { USDT: free('10') }));
    const late = mergeReport(rewritten, report('STREAM', 30, 600, { USDT: free('10') }));
    expect([early.balances.USDT, late.balances.USDT]).toEqual([free('70'), free('10')]);
    expect(mergeReport(rewritten, report('STREAM', 30, 400, { BTC: free('5') })).balances.BTC).toEqual(
      free('5'),
    );
  });

  it('are changes if an amount differs, or if a snapshot confirms what only a stream had reported', () => {
    const same = { USDT: free('100'), BTC: free('1') };
    expect(mergeReport(merge(first), report('SNAPSHOT', 20, 200, same)).isChanged).toBe(false);
    const streamed = merge(first, report('STREAM', 20, 200, { USDT: free('90') }));
    const confirming = report('SNAPSHOT', 30, 300, { USDT: free('90'), BTC: free('1') });
    expect(mergeReport(streamed, confirming).isChanged).toBe(true);
  });

  describe('that a snapshot replaces', () => {
    const snapshot = (ms: number, received: number, usdt = '100') =>
      report('SNAPSHOT', ms, received, { USDT: free(usdt), BTC: free('1') });
    const keptAt = (asset: string, ...reports: readonly ReportedBalances[]) =>
      merge(...reports).venueBalances[asset]?.before?.at;

    it('are kept, unless their instant is not over or the stream makes it undecided', () => {
      const streamed = report('STREAM', 20, 250, { USDT: free('90') });
      expect(keptAt('BTC', first, snapshot(20, 200))).toBe(at(10).toISOString());
      expect(keptAt('BTC', first, snapshot(20, 200), snapshot(20, 300))).toBe(at(10).toISOString());
      expect(keptAt('BTC', first, snapshot(20, 200), streamed, snapshot(30, 300))).toBe(at(10).toISOString());
      expect(keptAt('USDT', first, snapshot(20, 200), streamed, snapshot(30, 300))).toBe(
        at(20).toISOString(),
      );
    });

    it('are themselves replaced by a later report of the stream that is older than the snapshot', () => {
      const late = report('STREAM', 15, 300, { BTC: free('2') });
      expect(keptAt('BTC', first, snapshot(20, 200), late)).toBe(at(15).toISOString());
      const older = report('STREAM', 5, 300, { BTC: free('2') });
      expect(keptAt('BTC', first, snapshot(20, 200), older)).toBe(at(10).toISOString());
    });

    it('are kept for an asset that is used up, and for one that is new', () => {
      const usedUp = report('SNAPSHOT', 20, 200, { BTC: free('1') });
      expect(merge(first, usedUp).venueBalances.USDT).toMatchObject({ free: '0', before: free('100') });
      const afterwards = report('SNAPSHOT', 30, 300, { BTC: free('1') });
      expect(merge(first, usedUp, afterwards).venueBalances).not.toHaveProperty('USDT');
      const isNew = report('SNAPSHOT', 20, 200, { ETH: free('1') });
      expect(merge(first, isNew).venueBalances.ETH?.before).toMatchObject({ ...free('0'), source: 'STREAM' });
    });
  });
});
