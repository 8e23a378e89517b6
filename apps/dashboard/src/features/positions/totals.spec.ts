import { ownedLots } from './totals';

it('lots of perpetuals do not count in what the lots are worth', () => {
  const [spot, margin] = [{ trading_type: 'spot' }, { trading_type: 'margin' }] as const;
  expect(ownedLots([spot, { trading_type: 'perpetual' }, margin])).toEqual([spot, margin]);
});
