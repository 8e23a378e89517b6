import { ownedLots, worthLabel } from './totals';

const lot = (trading_type: 'spot' | 'margin' | 'perpetual', side: 'BUY' | 'SELL' = 'BUY') => ({
  trading_type,
  side,
});

it('lots of perpetuals and short lots do not count in what the lots are worth', () => {
  const owned = [lot('spot'), lot('margin')];
  const others = [lot('perpetual'), lot('perpetual', 'SELL'), lot('margin', 'SELL')];
  expect(ownedLots([...owned, ...others])).toEqual(owned);
});

it('the worth of the lots is named with what it leaves out', () => {
  expect(worthLabel([lot('spot'), lot('margin')])).toBe('Worth at the last prices');
  expect(worthLabel([lot('spot'), lot('perpetual', 'SELL')])).toBe('Worth without perpetuals');
  expect(worthLabel([lot('margin', 'SELL'), lot('spot')])).toBe('Worth without short lots');
  expect(worthLabel([lot('margin', 'SELL'), lot('perpetual')])).toBe(
    'Worth without perpetuals and short lots',
  );
});
