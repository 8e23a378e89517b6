import {
  effectiveFrom,
  offerOf,
  type ProfitShareState,
  viewProfitShare,
} from './profit-share-terms.rules.js';

const WEEKLY = {
  rate: '0.10',
  period: 'WEEK',
  acceptedAt: '2026-01-02T03:04:05Z',
  since: null,
} as const;
const state = (overrides: Partial<ProfitShareState> = {}): ProfitShareState => ({
  accepted: [WEEKLY],
  offered: { rate: '0.1', period: 'WEEK' },
  ...overrides,
});

describe('the offer of a strategy', () => {
  it.each([
    ['before the first start', { accepted: null }],
    ['if no terms were accepted', { accepted: [] }],
    ['without a strategy', { offered: null }],
    ['of the accepted terms, written differently', {}],
    [
      'of no share, whatever its period',
      { accepted: [{ ...WEEKLY, rate: '0' }], offered: { rate: '0.0', period: 'MONTH' as const } },
    ],
  ])('does not exist %s', (_case, overrides) => {
    expect(offerOf(state(overrides))).toBeNull();
  });

  it('is another rate or another period, in plain notation', () => {
    expect(offerOf(state({ offered: { rate: '0.20', period: 'WEEK' } }))).toEqual({
      rate: '0.2',
      period: 'WEEK',
    });
    expect(offerOf(state({ offered: { rate: '0.1', period: 'MONTH' } }))).toEqual({
      rate: '0.1',
      period: 'MONTH',
    });
  });

  it('without a period keeps the period of the copier', () => {
    expect(offerOf(state({ offered: { rate: '0', period: null } }))).toEqual({ rate: '0', period: 'WEEK' });
    expect(offerOf(state({ offered: { rate: '0.1', period: null } }))).toBeNull();
  });

  it('is compared with the terms that were accepted last', () => {
    const next = { ...WEEKLY, rate: '0.2', since: '2026-01-05T00:00:00Z' };
    expect(offerOf(state({ accepted: [WEEKLY, next] }))).toEqual({ rate: '0.1', period: 'WEEK' });
    expect(offerOf(state({ accepted: [WEEKLY, next], offered: { rate: '0.2', period: 'WEEK' } }))).toBeNull();
  });
});

it('accepted terms are in effect from the end of the current period', () => {
  const wednesday = new Date('2026-01-07T12:00:00Z');
  expect(effectiveFrom('WEEK', wednesday)).toEqual(new Date('2026-01-12T00:00:00Z'));
  expect(effectiveFrom('MONTH', wednesday)).toEqual(new Date('2026-02-01T00:00:00Z'));
});

describe('the record of a copier', () => {
  it('has no profit share before the first start', () => {
    expect(viewProfitShare(state({ accepted: null }))).toEqual({
      profit_share: undefined,
      profit_share_offer: undefined,
    });
  });

  it('shows the terms in effect, and the offer', () => {
    const offered = { rate: '0.3', period: 'WEEK' } as const;
    expect(viewProfitShare(state({ offered }))).toEqual({
      profit_share: { rate: '0.1', period: 'WEEK', accepted_at: '2026-01-02T03:04:05.000Z' },
      profit_share_offer: offered,
    });
  });

  it('shows the accepted terms of the next period with their beginning', () => {
    const next = { ...WEEKLY, rate: '0.20', period: 'MONTH', since: '2026-01-05T00:00:00Z' } as const;
    const shown = (since: string | null) =>
      viewProfitShare(state({ accepted: [WEEKLY, { ...next, since }] })).profit_share?.next;
    expect(shown(next.since)).toEqual({ rate: '0.2', period: 'MONTH', from: '2026-01-05T00:00:00.000Z' });
    expect(shown(null)).toBeUndefined();
  });
});
