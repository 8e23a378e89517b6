import { readRecordings } from '../../../conformance/scripted/recordings.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { balancesOf, streamedAccount } from './account.js';
import { marketStream } from './streams.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));

describe('the balances of Bitget', () => {
  it('contain the margins of positions', () => {
    const ccxt = { safeCurrencyCode: (code: string) => code } as unknown as CcxtClient;
    const { data } = recordings.messages.get('Subscriptions/Unified/Account#3') as {
      readonly data: readonly [object];
    };
    // The account has an initial margin of 17,795.97, and nothing is locked.
    const { coin } = streamedAccount.parse(data[0]);
    expect(balancesOf(ccxt, coin).USDT).toStrictEqual({ free: '354411.45536458', locked: '0' });
  });
});

describe('the order book of Bitget', () => {
  /** @param seq the number of the message, longer than a JavaScript number */
  const message = (action: 'snapshot' | 'update', pseq: string | number, seq: string, price: string) => ({
    action,
    arg: { instType: 'usdt-futures', topic: 'books', symbol: 'BTCUSDT' },
    data: [{ a: [], b: [[price, '1']], pseq, seq, ts: '1746698732562' }],
    ts: 1_746_698_732_563,
  });
  const read = (messages: readonly object[]) => {
    const reader = marketStream('perpetual').openBook({} as never, 'BTC/USDT:USDT');
    return messages.map((each) => {
      const update = reader.read(each);
      return update?.kind === 'SNAPSHOT' || update?.kind === 'CHANGE'
        ? [update.kind, update.last]
        : update?.kind;
    });
  };
  const start = message('snapshot', 0, '1304314508780744705', '1');

  it('gives changes numbers of its own, because those of the exchange are too long', () => {
    const next = message('update', '1304314508780744705', '1304314508780744706', '2');
    const later = message('update', '1304314508780744706', '1304314508780744709', '3');
    expect(read([start, next, later])).toEqual([
      ['SNAPSHOT', 1],
      ['CHANGE', 2],
      ['CHANGE', 3],
    ]);
  });

  it('skips what the snapshot contains', () => {
    const before = message('update', '1304314508780744701', '1304314508780744704', '2');
    const across = message('update', '1304314508780744704', '1304314508780744707', '3');
    expect(read([start, before, across])).toEqual([['SNAPSHOT', 1], undefined, ['CHANGE', 2]]);
  });

  it.each<[string, string | number, string]>([
    ['a lost message', '1304314508780744706', '1304314508780744707'],
    ['a reset', 0, '5'],
  ])('begins again after %s, and reports the gap once', (_what, pseq, seq) => {
    const after = message('update', seq, '1304314508780744709', '3');
    expect(read([start, message('update', pseq, seq, '2'), after, start])).toEqual([
      ['SNAPSHOT', 1],
      'GAP',
      undefined,
      ['SNAPSHOT', 2],
    ]);
  });
});
