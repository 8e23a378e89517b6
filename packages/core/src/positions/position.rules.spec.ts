import {
  isMarginCalled,
  marginRatio,
  type ReportedPosition,
  type StoredPosition,
  stepsOf,
} from './position.rules.js';

const SYMBOL = 'BTC/USDT:USDT';
const at = (ms: number) => new Date(1_700_000_000_000 + ms);

const reported = (more: Partial<ReportedPosition> = {}): ReportedPosition => ({
  symbol: SYMBOL,
  side: 'LONG',
  amount: '2',
  entryPrice: '100',
  markPrice: '110',
  liquidationPrice: '60',
  unrealizedPnl: '20',
  maintenanceMargin: '1',
  marginMode: 'CROSS',
  isSupported: true,
  ...more,
});
const stored = (more: Partial<StoredPosition> = {}): StoredPosition => ({
  symbol: SYMBOL,
  side: 'LONG',
  amount: '2.000',
  entryPrice: '100',
  markPrice: '105',
  liquidationPrice: '61',
  unrealizedPnl: '10',
  maintenanceMargin: '1',
  isolatedMargin: null,
  leverage: '10',
  marginMode: 'CROSS',
  isSupported: true,
  reportedAt: at(0),
  ...more,
});
const complete = (positions: readonly ReportedPosition[], ms = 1) => ({
  positions,
  at: at(ms),
  isComplete: true,
});
const partial = (positions: readonly ReportedPosition[], ms = 1) => ({
  positions,
  at: at(ms),
  isComplete: false,
});
const eventsOf = (...args: Parameters<typeof stepsOf>) => stepsOf(...args).map(({ event }) => event);

describe('a report of positions', () => {
  it('opens a position that was flat or never reported', () => {
    expect(eventsOf([], complete([reported()]))).toEqual(['position.opened']);
    const flat = stored({ side: null, amount: '0', reportedAt: null });
    const [step] = stepsOf([flat], complete([reported()]));
    expect(step).toMatchObject({
      event: 'position.opened',
      position: { side: 'LONG', amount: '2', entryPrice: '100', leverage: '10' },
    });
  });

  it('of a flat position that was never reported changes nothing', () => {
    expect(stepsOf([], complete([reported({ amount: '0' })]))).toEqual([]);
  });

  it('opens a position with what it reports, and without the mark price of an earlier position', () => {
    const values = { unrealizedPnl: '20', isolatedMargin: '7', liquidationPrice: '60' };
    const [first] = stepsOf([], partial([reported({ ...values, markPrice: undefined })]));
    expect(first?.position).toMatchObject({ ...values, markPrice: null });
    const flat = stored({ amount: '0' });
    const [again] = stepsOf([flat], partial([reported({ ...values, markPrice: undefined })]));
    expect(again?.position).toMatchObject({ ...values, markPrice: null });
  });

  it('changes a position only if its amount differs in value', () => {
    expect(eventsOf([stored()], complete([reported({ amount: '2', markPrice: '1' })]))).toEqual([null]);
    expect(eventsOf([stored()], complete([reported({ amount: '2.5' })]))).toEqual(['position.changed']);
  });

  it('closes a position, and keeps its side and entry price', () => {
    const [step] = stepsOf([stored()], partial([reported({ amount: '0', entryPrice: undefined })]));
    expect(step).toMatchObject({
      event: 'position.closed',
      position: { side: 'LONG', amount: '0', entryPrice: '100', unrealizedPnl: '0', liquidationPrice: null },
    });
  });

  it('closes a position at the mark price that it reports, or else at the known one', () => {
    const marksOf = (next: ReportedPosition) =>
      stepsOf([stored()], partial([next])).map(({ position }) => position.markPrice);
    expect(marksOf(reported({ amount: '0' }))).toEqual(['110']);
    expect(marksOf(reported({ amount: '0', markPrice: undefined }))).toEqual(['105']);
    expect(marksOf(reported({ side: 'SHORT' }))).toEqual(['110', '110']);
    expect(marksOf(reported({ side: 'SHORT', markPrice: undefined }))).toEqual(['105', '105']);
  });

  it('closes a position before it opens one on the other side', () => {
    const steps = stepsOf([stored()], complete([reported({ side: 'SHORT', amount: '1', entryPrice: '90' })]));
    expect(steps).toMatchObject([
      { event: 'position.closed', position: { side: 'LONG', amount: '0', entryPrice: '100' } },
      { event: 'position.opened', position: { side: 'SHORT', amount: '1', entryPrice: '90' } },
    ]);
  });

  it('closes what a complete report lacks, and leaves what a partial report lacks', () => {
    expect(eventsOf([stored()], complete([]))).toEqual(['position.closed']);
    expect(eventsOf([stored()], partial([]))).toEqual([]);
    expect(eventsOf([stored({ amount: '0' })], complete([]))).toEqual([]);
  });

  it('is ignored if a later report is stored', () => {
    const later = stored({ reportedAt: at(5) });
    expect(stepsOf([later], complete([reported({ amount: '9' })], 4))).toEqual([]);
    expect(stepsOf([later], complete([], 4))).toEqual([]);
    expect(stepsOf([later], partial([reported({ amount: '9' })], 4))).toEqual([]);
  });

  it('of the millisecond of the stored report applies only if a stream sent it', () => {
    const same = stored({ reportedAt: at(5) });
    expect(stepsOf([same], complete([reported({ amount: '9' })], 5))).toEqual([]);
    expect(eventsOf([same], partial([reported({ amount: '9' })], 5))).toEqual(['position.changed']);
  });

  it('that has the amount alone clears the margin that a new amount makes wrong', () => {
    const bare = {
      entryPrice: undefined,
      markPrice: undefined,
      liquidationPrice: undefined,
      unrealizedPnl: undefined,
      maintenanceMargin: undefined,
    };
    const [same] = stepsOf([stored()], partial([reported(bare)]));
    expect(same?.position).toMatchObject({
      markPrice: '105',
      liquidationPrice: '61',
      maintenanceMargin: '1',
    });
    const margins = { unrealizedPnl: '20', isolatedMargin: '7', liquidationPrice: '60' };
    const [newer] = stepsOf([stored({ isolatedMargin: '6' })], partial([reported(margins)]));
    expect(newer?.position).toMatchObject(margins);
    const [other] = stepsOf([stored()], partial([reported({ ...bare, amount: '3' })]));
    expect(other?.position).toMatchObject({
      markPrice: '105',
      entryPrice: '100',
      liquidationPrice: null,
      maintenanceMargin: null,
    });
  });

  it('of a hedge mode shows the larger of two positions of a market', () => {
    const hedged = [
      reported({ amount: '1', isSupported: false }),
      reported({ side: 'SHORT', amount: '3', isSupported: false }),
    ];
    for (const positions of [hedged, hedged.toReversed()])
      expect(stepsOf([], complete(positions))).toMatchObject([
        { event: 'position.opened', position: { side: 'SHORT', amount: '3', isSupported: false } },
      ]);
  });
});

describe('the margin ratio', () => {
  it('is the margin balance ÷ the maintenance margin, with eight decimals', () => {
    expect(marginRatio('100', '3')).toBe('33.33333333');
    expect(marginRatio('-5', '2')).toBe('-2.5');
  });

  it.each([
    [null, '1'],
    ['1', null],
    ['1', '0'],
  ])('is null for the balance %s and the maintenance margin %s', (balance, maintenance) => {
    expect(marginRatio(balance, maintenance)).toBeNull();
  });
});

describe('a margin call', () => {
  it.each([
    [false, '1.25', false],
    [false, '1.24999999', true],
    [true, '1.49999999', true],
    [true, '1.5', false],
    [true, null, false],
    [false, '-1', true],
  ])('is in force after %s and the ratio %s: %s', (wasCalled, ratio, expected) => {
    expect(isMarginCalled(wasCalled, ratio)).toBe(expected);
  });
});
