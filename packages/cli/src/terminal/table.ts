/**
 * Tables for a screen: without borders, at most as wide as the screen.
 *
 * 1. Ids, decimals and timestamps are never truncated, since a part of a number is another number. Other columns shrink,
 *    the widest first.
 * 2. If that is not enough, the last columns are omitted: the first ones identify the record.
 */
import Table from 'cli-table3';
import stringWidth from 'string-width';

export interface TableStyle {
  readonly columns: number;
  readonly ellipsis: string;
  readonly heading: (text: string) => string;
  /** Colours a cell. */
  readonly cell?: (text: string, column: number) => string;
}

const GAP = 2;
const NARROWEST = 6;
/** An id, a decimal or a timestamp: never truncated. */
const UNCUT = /^(?:[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}|-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;
const COLUMNS_MIN = 2;
const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

export function tableOf(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: TableStyle,
): string {
  const widths = widthsOf(headings, rows, style.columns);
  const shown = (texts: readonly string[]) =>
    widths.map((width, at) => cut(texts[at] ?? '', width, style.ellipsis));
  const table = new Table({
    head: shown(headings).map(style.heading),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  for (const row of rows) table.push(shown(row).map((text, at) => style.cell?.(text, at) ?? text));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Returns the widths of the columns that are shown. */
function widthsOf(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
): readonly number[] {
  const preferred = headings.map((heading, at) =>
    Math.max(stringWidth(heading), ...rows.map((row) => stringWidth(row[at] ?? ''))),
  );
  const least = headings.map((_, at) =>
    rows.some((row) => UNCUT.test(row[at] ?? '')) ? preferred[at]! : Math.min(preferred[at]!, NARROWEST),
  );
  let count = headings.length;
  while (count > COLUMNS_MIN && totalOf(least.slice(0, count)) > columns) count--;
  const widths = preferred.slice(0, count);
  for (let excess = totalOf(widths) - columns; excess > 0; excess--) {
    const widest = widths.reduce(
      (found, width, at) => (width > least[at]! && width > (widths[found] ?? 0) ? at : found),
      -1,
    );
    if (widest === -1) break;
    widths[widest]!--;
  }
  return widths;
}

const totalOf = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));

/** Truncates text to a width and marks the truncation with the ellipsis. */
export function cut(text: string, width: number, ellipsis: string): string {
  if (stringWidth(text) <= width) return text;
  let result = '';
  let taken = stringWidth(ellipsis);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    taken += stringWidth(segment);
    if (taken > width) break;
    result += segment;
  }
  return result + ellipsis;
}
