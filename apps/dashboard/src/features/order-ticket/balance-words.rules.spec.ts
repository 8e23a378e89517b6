import { balanceName, shareName, sharesName } from './balance-words.rules';

const [spot, perpetual] = [{ trading_type: 'spot' }, { trading_type: 'perpetual' }] as const;

describe('the balance of the order ticket', () => {
  it('is free, except on perpetuals, where nothing is subtracted from the wallet', () => {
    expect(balanceName(spot)).toBe('Free balance');
    expect(balanceName(perpetual)).toBe('Wallet balance, margin in use included');
  });

  it('is what the buttons take a share of', () => {
    expect(shareName('25', spot)).toBe('25 % of the free balance');
    expect(shareName('25', perpetual)).toBe('25 % of the wallet balance');
  });

  it.each([
    ['BUY', 'LIMIT', spot, 'Share of the free balance'],
    ['BUY', 'MARKET', spot, 'Share of the free balance, less 0.5 % for a rising price'],
    ['SELL', 'MARKET', spot, 'Share of the free balance'],
    ['SELL', 'MARKET', perpetual, 'Share of the wallet balance, less 0.5 % for a change of the price'],
    ['BUY', 'STOP_MARKET', perpetual, 'Share of the wallet balance'],
  ] as const)('is named for a %s of type %s', (side, type, pair, name) => {
    expect(sharesName({ side, type }, pair)).toBe(name);
  });
});
