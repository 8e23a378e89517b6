import { describeEvent, mergeEvents } from './events.rules';

const event = (type: string, data: object, event_id = 'evt_1', timestamp = '2026-03-01T00:00:00Z') => ({
  event_id,
  type,
  timestamp,
  data,
});

describe('describeEvent', () => {
  it('names the order of a trade', () => {
    const data = { id: 'trd_1', symbol: 'BTC/USDT', side: 'SELL', amount: '0.05' };
    expect(describeEvent(event('trade.filled', data))).toEqual({
      title: 'Order filled',
      detail: 'Sell 0.05 BTC',
      href: '/trades/trd_1',
    });
  });

  it('leads from a decision to its copier', () => {
    const data = { id: 'dec_1', copier_id: 'cpr_1', code: 'BELOW_MINIMUM' };
    expect(describeEvent(event('copier.trade_skipped', data))).toEqual({
      title: 'Signal skipped',
      detail: 'Below minimum',
      href: '/copiers/cpr_1',
    });
  });

  it('makes words of an unknown type', () => {
    expect(describeEvent(event('moon.landed', { id: 7 }))).toEqual({
      title: 'Moon landed',
      detail: '',
      href: undefined,
    });
  });
});

describe('mergeEvents', () => {
  it('keeps the newest, each once', () => {
    const at = (id: string, second: number) => event('trade.filled', {}, id, `2026-03-01T00:00:0${second}Z`);
    const merged = mergeEvents([at('c', 3), at('b', 2)], [at('b', 2), at('a', 1)], 2);
    expect(merged.map(({ event_id }) => event_id)).toEqual(['c', 'b']);
  });
});
