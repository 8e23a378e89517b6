/** Formats an order book: the best levels of both sides next to each other, without loss of digits. */
import type { Colors } from '../terminal/terminal.js';
import { safeLine, textOf } from '../terminal/text-of.js';

/** Price and amount. */
type Level = readonly [price: string, amount: string];

export interface Book {
  readonly exchange: string;
  readonly symbol: string;
  readonly sequence: number;
  /** Highest price first. */
  readonly bids: readonly Level[];
  /** Lowest price first. */
  readonly asks: readonly Level[];
  readonly exchange_timestamp: string;
}

/** Returns rows of bid amount, bid, ask and ask amount, best first. */
export function rowsOf({ bids, asks }: Pick<Book, 'bids' | 'asks'>): readonly BookRow[] {
  return Array.from({ length: Math.max(bids.length, asks.length) }, (_, i) => ({
    bid_amount: textIn(bids[i]?.[1]),
    bid: textIn(bids[i]?.[0]),
    ask: textIn(asks[i]?.[0]),
    ask_amount: textIn(asks[i]?.[1]),
  }));
}

const textIn = (text: string | undefined) => (text === undefined ? null : safeLine(text));

export interface BookRow {
  readonly bid_amount: string | null;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly ask_amount: string | null;
}

const HEADINGS: BookRow = { bid_amount: 'AMOUNT', bid: 'BID', ask: 'ASK', ask_amount: 'AMOUNT' };
const SIDES = ['bid_amount', 'bid', 'ask', 'ask_amount'] as const;

/** Formats a book as a table. */
export function renderBook(book: Book, colors: Colors): string {
  const rows = rowsOf(book);
  const decimalPlaces = Object.fromEntries(
    SIDES.map((side) => [side, Math.max(0, ...rows.map((row) => decimalsOf(row[side])))]),
  );
  const cells = rows.map((row) => SIDES.map((side) => aligned(row[side], decimalPlaces[side] ?? 0)));
  const widths = SIDES.map((side, i) =>
    Math.max((HEADINGS[side] ?? '').length, ...cells.map((row) => row[i]!.length)),
  );
  const line = (row: readonly string[]) => row.map((text, i) => text.padStart(widths[i]!));
  const heading = line(SIDES.map((side) => HEADINGS[side] ?? '')).join('  ');
  const body = cells
    .map(line)
    .map(([bidAmount, bid, ask, askAmount]) =>
      [bidAmount, colors.green(bid!), colors.red(ask!), askAmount].join('  ').trimEnd(),
    );
  const { exchange, symbol, sequence, exchange_timestamp } = book;
  return [
    `${colors.bold(safeLine(symbol))}  ${safeLine(exchange)}  ${colors.dim(safeLine(`#${sequence}  ${exchange_timestamp}`))}`,
    colors.dim(heading),
    ...body,
  ].join('\n');
}

/** Formats a book as one line with the best price of each side. */
export function lineOf({ exchange_timestamp, symbol, sequence, bids, asks }: Book): string {
  const best = (level: Level | undefined) => (level === undefined ? ['', ''] : [...level]);
  const [bid, bidAmount] = best(bids[0]);
  const [ask, askAmount] = best(asks[0]);
  return [exchange_timestamp, symbol, sequence, bidAmount, bid, ask, askAmount].map(textOf).join('\t');
}

const decimalsOf = (text: string | null) => (text?.includes('.') ? text.length - text.indexOf('.') - 1 : 0);

/** Pads a number with blanks on the right, so that the decimal points of a column are aligned. */
function aligned(text: string | null, decimals: number): string {
  if (text === null) return '';
  const ownDecimals = decimalsOf(text);
  const missing = decimals - ownDecimals + (ownDecimals === 0 && decimals > 0 ? 1 : 0);
  return text + ' '.repeat(missing);
}
