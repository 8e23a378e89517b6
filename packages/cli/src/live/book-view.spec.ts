import pc from 'picocolors';
import { type Book, lineOf, renderBook } from './book-view.js';

const plain = pc.createColors(false);
const book: Book = {
  exchange: 'paper',
  symbol: 'BTC/USDT',
  sequence: 42,
  bids: [
    ['60000.5', '0.123456789012345678'],
    ['59999', '12'],
  ],
  asks: [['60001.25', '3.5']],
  exchange_timestamp: '2026-01-01T00:00:00.000Z',
};

describe('a formatted order book', () => {
  it('shows both sides next to each other, with all digits and aligned decimal points', () => {
    expect(renderBook(book, plain).split('\n')).toEqual([
      'BTC/USDT  paper  #42  2026-01-01T00:00:00.000Z',
      '               AMOUNT      BID       ASK  AMOUNT',
      ' 0.123456789012345678  60000.5  60001.25     3.5',
      '12                     59999',
    ]);
  });

  it('shows the best level of each side on one line', () => {
    expect(lineOf(book)).toBe(
      '2026-01-01T00:00:00.000Z\tBTC/USDT\t42\t0.123456789012345678\t60000.5\t60001.25\t3.5',
    );
    expect(lineOf({ ...book, bids: [] })).toBe('2026-01-01T00:00:00.000Z\tBTC/USDT\t42\t\t\t60001.25\t3.5');
  });
});
