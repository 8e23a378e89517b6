import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { spotBookReader } from './spot-book.js';

const { messages } = readRecordings(new URL('dialect/recordings.json', import.meta.url));
const snapshot = messages.get('Subscriptions/Spot/AggBook#2');
const update = (bids: readonly object[], checksum: number) => ({
  channel: 'book',
  type: 'update',
  data: [{ symbol: 'ETH/USDT', bids, asks: [], checksum }],
});

describe("kraken's order books on the stream", () => {
  it('computes the checksum that the exchange sent with a recorded book', () => {
    const reader = spotBookReader({ price: 4, amount: 8 });
    expect(reader.read(snapshot)).toMatchObject({ kind: 'SNAPSHOT', last: 1 });
    // Another number of decimals changes the text that is checked.
    expect(spotBookReader({ price: 5, amount: 8 }).read(snapshot)).toEqual({ kind: 'GAP' });
  });

  it('begins again after a checksum that does not match', () => {
    const reader = spotBookReader({ price: 4, amount: 8 });
    reader.read(snapshot);
    const changed = [{ price: 0.5666, qty: 1 }];
    expect(reader.read(update(changed, 1))).toEqual({ kind: 'GAP' });
    expect(reader.read(update(changed, 1))).toBeUndefined();
    expect(reader.read(snapshot)).toMatchObject({ kind: 'SNAPSHOT', last: 2 });
    expect(reader.read({ channel: 'heartbeat' })).toBeUndefined();
  });
});
