/**
 * Tables for a screen: no borders, and as wide as it is.
 *
 * 1. Ids, decimals and instants are never cut: half a number is another number. Texts give way first, the widest most.
 * 2. Where that does not do, the last columns are left out: the first ones tell which record it is.
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
/** An id, a decimal, or an instant. */
const WHOLE = /^(?:[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}|-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;
const COLUMNS_KEPT = 2;
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
  look: TableStyle,
): string {
  const widths = widthsOf(headings, rows, look.columns);
  const shown = (texts: readonly string[]) =>
    widths.map((width, at) => cut(texts[at] ?? '', width, look.ellipsis));
  const table = new Table({
    head: shown(headings).map(look.heading),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  for (const row of rows) table.push(shown(row).map((text, at) => look.cell?.(text, at) ?? text));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Of the columns that are shown. */
function widthsOf(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
): readonly number[] {
  const wanted = headings.map((heading, at) =>
    Math.max(stringWidth(heading), ...rows.map((row) => stringWidth(row[at] ?? ''))),
  );
  const least = headings.map((_, at) =>
    rows.some((row) => WHOLE.test(row[at] ?? '')) ? wanted[at]! : Math.min(wanted[at]!, NARROWEST),
  );
  let count = headings.length;
  while (count > COLUMNS_KEPT && totalOf(least.slice(0, count)) > columns) count--;
  const widths = wanted.slice(0, count);
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

/** The text, at most so wide; what is cut off is marked. */
export function cut(text: string, width: number, ellipsis: string): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let taken = stringWidth(ellipsis);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    taken += stringWidth(segment);
    if (taken > width) break;
    kept += segment;
  }
  return kept + ellipsis;
}
