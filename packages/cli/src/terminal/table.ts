/**
 * Tables for a screen: without borders, at most as wide as the screen.
 *
 * 1. Ids, symbols, decimals and timestamps are never truncated: a part of a number is another number, and a part of a symbol
 *    may be another pair. Other columns shrink, the widest first.
 * 2. If that is not enough, the last columns are omitted, because the first ones identify the record. The first two
 *    columns are always shown.
 */
import Table from 'cli-table3';
import stringWidth from 'string-width';

export interface TableStyle {
  /** Width of the screen in characters. */
  readonly columns: number;
  readonly ellipsis: string;
  readonly heading: (text: string) => string;
  /** Colours a cell. */
  readonly cell?: (text: string, column: number) => string;
}

const GAP = 2;
const WIDTH_MIN = 6;
/** Matches ids, symbols, decimals and timestamps. */
const NEVER_TRUNCATED =
  /^(?:[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}|[^\s/]+\/[^\s/]+|-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;
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
  const truncatedCells = (texts: readonly string[]) =>
    widths.map((width, at) => truncate(texts[at] ?? '', width, style.ellipsis));
  const table = new Table({
    head: truncatedCells(headings).map(style.heading),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  for (const row of rows) table.push(truncatedCells(row).map((text, at) => style.cell?.(text, at) ?? text));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Returns the widths of the columns that are shown, in characters. */
function widthsOf(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  screenWidth: number,
): readonly number[] {
  const preferred = headings.map((heading, at) =>
    Math.max(stringWidth(heading), ...rows.map((row) => stringWidth(row[at] ?? ''))),
  );
  const minimum = headings.map((_, at) =>
    rows.some((row) => NEVER_TRUNCATED.test(row[at] ?? ''))
      ? preferred[at]!
      : Math.min(preferred[at]!, WIDTH_MIN),
  );
  let count = headings.length;
  while (count > COLUMNS_MIN && totalOf(minimum.slice(0, count)) > screenWidth) count--;
  const widths = preferred.slice(0, count);
  for (let excess = totalOf(widths) - screenWidth; excess > 0; excess--) {
    const widest = widths.reduce(
      (candidate, width, at) => (width > minimum[at]! && width > (widths[candidate] ?? 0) ? at : candidate),
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
export function truncate(text: string, width: number, ellipsis: string): string {
  if (stringWidth(text) <= width) return text;
  let result = '';
  let usedWidth = stringWidth(ellipsis);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    usedWidth += stringWidth(segment);
    if (usedWidth > width) break;
    result += segment;
  }
  return result + ellipsis;
}
