import { strategyCreate } from '@trading-automation/contracts';
import { optionalInteger, optionalText, problemsOf, symbolsOf } from './form-problems';

describe('the problems of a form', () => {
  it('name the field and how to fix it', () => {
    expect(problemsOf(strategyCreate, { name: '' })).toEqual([
      { field: 'name', message: 'Fill in this field.' },
      { field: 'exchange_account_id', message: 'Fill in this field.' },
    ]);
  });

  it('keep the messages of the contracts, and the path of a member', () => {
    const share = { rate: '0.6', period: 'MONTH' };
    expect(problemsOf(strategyCreate, { name: 'a', profit_share: share })).toContainEqual({
      field: 'profit_share.rate',
      message: 'Must be at most 0.5.',
    });
  });

  it('say plainly that a value is no number', () => {
    const body = { name: 'a', min_copy_equity: 'many' };
    expect(problemsOf(strategyCreate, body)).toContainEqual({
      field: 'min_copy_equity',
      message: 'Enter a number, such as 1250.5.',
    });
  });

  it('find nothing in a valid body', () => {
    const body = { name: 'Momentum', exchange_account_id: 'exa_01jz3v7q8ef5ft5w8mm7p5a1bc' };
    expect(problemsOf(strategyCreate, body)).toEqual([]);
  });
});

describe('the values of fields', () => {
  it('are missing if they are empty', () => {
    expect(optionalText('  ')).toBeUndefined();
    expect(optionalInteger('')).toBeUndefined();
  });

  it('are numbers only if they are whole', () => {
    expect(optionalInteger(' 12 ')).toBe(12);
    expect(optionalInteger('1.5')).toBe('1.5');
  });

  it('are symbols in capitals, each once', () => {
    expect(symbolsOf('btc/usdt, ETH/USDT;eth/usdt ')).toEqual(['BTC/USDT', 'ETH/USDT']);
    expect(symbolsOf('')).toEqual([]);
  });
});
