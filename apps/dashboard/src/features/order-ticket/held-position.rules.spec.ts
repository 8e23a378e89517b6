import { heldPosition } from './held-position.rules';

const position = { exchange_account_id: 'exa_1', trade_pair_id: 'tpr_1' };
const others = [
  { ...position, exchange_account_id: 'exa_2' },
  { ...position, trade_pair_id: 'tpr_2' },
];

describe('the position that the order ticket shows', () => {
  it('is not known before the positions are loaded, and after a failure', () => {
    expect(heldPosition({ data: undefined, isError: false }, 'exa_1', 'tpr_1')).toEqual({ state: 'loading' });
    expect(heldPosition({ data: undefined, isError: true }, 'exa_1', 'tpr_1')).toEqual({ state: 'unknown' });
  });

  it('is that of the account in the market, or none', () => {
    const data = [...others, position];
    expect(heldPosition({ data, isError: false }, 'exa_1', 'tpr_1')).toEqual({ state: 'known', position });
    expect(heldPosition({ data: others, isError: false }, 'exa_1', 'tpr_1')).toEqual({
      state: 'known',
      position: undefined,
    });
  });

  it('stays the last known one after a failed refresh', () => {
    expect(heldPosition({ data: [position], isError: true }, 'exa_1', 'tpr_1')).toMatchObject({ position });
  });
});
