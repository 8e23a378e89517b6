import { samplePair } from './pair.sample';
import { tradablePairs } from './tradable-pairs.rules';

const spot = samplePair();
const perpetual = samplePair({ id: 'tpr_2', symbol: 'BTC/USDT:USDT', trading_type: 'perpetual' });
const elsewhere = samplePair({ id: 'tpr_3', exchange: 'other' });
const pairs = [spot, perpetual, elsewhere];
const account = (trading_type: 'spot' | 'perpetual', is_active = true) => ({
  exchange_name: 'paper',
  trading_type,
  is_active,
});

describe('tradablePairs', () => {
  it('offers the pairs of the exchange and the trading type of an account', () => {
    expect(tradablePairs(pairs, [account('spot')])).toEqual([spot]);
    expect(tradablePairs(pairs, [account('perpetual')])).toEqual([perpetual]);
    expect(tradablePairs(pairs, [account('perpetual'), account('spot')])).toEqual([spot, perpetual]);
  });

  it('ignores accounts that are not active', () => {
    expect(tradablePairs(pairs, [account('perpetual', false), account('spot')])).toEqual([spot]);
  });

  it('offers all pairs while accounts are unknown, and without an account that trades', () => {
    expect(tradablePairs(pairs, undefined)).toEqual(pairs);
    expect(tradablePairs(pairs, [account('spot', false)])).toEqual(pairs);
  });
});
