import { firstTraded, marketsOf, pairsBeginningWith, searchOrder } from './search-pairs.rules';

const samplePair = (id: string, symbol: string, trading_type: 'spot' | 'margin' = 'spot') => ({
  id,
  symbol,
  trading_type,
  is_active: true,
});
const idsOf = (pairs: readonly { readonly id: string }[]) => pairs.map(({ id }) => id);

it('reads on beyond pairs that are not traded, and no further than needed', async () => {
  let read = 0;
  async function* listed() {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      read++;
      yield { ...samplePair(id, `${id}/USDT`), is_active: id !== 'a' && id !== 'c' };
    }
  }
  expect(idsOf(await firstTraded(listed(), 2))).toEqual(['b', 'd']);
  expect(read).toBe(4);
  expect(idsOf(await firstTraded(listed(), 9))).toEqual(['b', 'd', 'e']);
});

it('orders found pairs by symbol, and spot before margin', () => {
  const found = [
    samplePair('margin', 'BTC/USDT', 'margin'),
    samplePair('spot', 'BTC/USDT'),
    samplePair('euro', 'BTC/EUR'),
  ];
  expect(idsOf(found.toSorted(searchOrder))).toEqual(['euro', 'spot', 'margin']);
});

it('separates pairs whose base was typed from those that only begin with the text', () => {
  const found = [samplePair('a', 'BTC/USDT'), samplePair('b', 'BTCDOM/USDT')];
  const named = (text: string, isNamed: boolean) => idsOf(pairsBeginningWith(found, text, isNamed));
  expect(named('btc', true)).toEqual(['a']);
  expect(named('btc', false)).toEqual(['b']);
  expect(named('btc usdt', true)).toEqual(['a']);
  // Found for an earlier text.
  expect(named('eth', false)).toEqual([]);
});

describe('the markets of accounts', () => {
  const account = (trading_type: 'spot' | 'perpetual', is_active = true) => ({
    exchange_name: 'paper',
    trading_type,
    is_active,
  });

  it('are their exchanges with their trading types, each once', () => {
    expect(marketsOf([account('spot'), account('perpetual'), account('spot')])).toEqual([
      { exchange: 'paper', trading_type: 'spot' },
      { exchange: 'paper', trading_type: 'perpetual' },
    ]);
  });

  it('are not those of inactive accounts', () => {
    expect(marketsOf([account('perpetual', false), account('spot')])).toEqual([
      { exchange: 'paper', trading_type: 'spot' },
    ]);
  });
});
