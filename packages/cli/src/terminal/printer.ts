/**
 * Prints data to stdout and everything else to stderr.
 *
 * 1. stdout contains only data: spinners, notes and warnings never change what a pipe receives.
 * 2. A screen gets tables. A pipe gets one tab-separated line per record, without headings and colours. `--json` prints
 *    the same JSON to both.
 */
import { UsageError } from '../failures.js';
import { isClosedPipe, outputFailure } from '../file-failure.js';
import type { Settings } from '../profile/settings.js';
import { applyFilter } from './jq.js';
import { tableOf } from './table.js';
import type { Output, Terminal } from './terminal.js';
import { EMPTY_CELL, linesOf, type Row, safeLine, safeText, textOf, valueAt } from './text-of.js';

/** A column: a path such as `status`, or a path with a heading. */
export type Column = string | readonly [path: string, heading: string];

export interface ListSummary {
  /** Whether there are more items than shown. */
  readonly hasMore: boolean;
}

export interface Printer {
  /** Prints a list of records. */
  records(rows: readonly unknown[], columns: readonly Column[], summary?: ListSummary): Promise<void>;
  /** Prints all fields of one record. */
  record(row: unknown): Promise<void>;
  /** Prints one item of a stream: the record as a line of JSON with `--json`, otherwise `line`. */
  streamItem(record: unknown, line: string): Promise<void>;
  /** Prints formatted data to stdout, followed by a line break. The caller escapes control characters. */
  line(text: string): Promise<void>;
  /** Prints a line to stderr, except with `--quiet`. This method and those below escape control characters. */
  note(text: string): void;
  /** Prints a LIVE label (real money) and the text to stderr, except with `--quiet`. */
  live(text: string): void;
  success(text: string): void;
  /** Prints to stderr, even with `--quiet`. */
  warn(text: string): void;
  /** Prints to stderr, only with `--verbose`. */
  detail(text: string): void;
}

export class TerminalPrinter implements Printer {
  constructor(
    private readonly terminal: Terminal,
    private readonly settings: Settings,
  ) {}

  async records(rows: readonly unknown[], columns: readonly Column[], summary?: ListSummary): Promise<void> {
    if (this.settings.json !== undefined) return this.json(rows);
    const paths = columns.map(pathOf);
    const cells = rows.map((row) => paths.map((path) => textOf(valueAt(row, path))));
    if (!this.terminal.isScreen) {
      if (cells.length > 0) await this.line(cells.map((row) => row.join('\t')).join('\n'));
      return;
    }
    if (cells.length === 0) return this.note('No results.');
    await this.line(this.table(columns.map(headingOf), paths, cells));
    if (summary?.hasMore === true)
      this.note(`Showing the first ${rows.length}. Use --limit or --all for more.`);
  }

  async record(row: unknown): Promise<void> {
    if (this.settings.json !== undefined) return this.json(row);
    if (typeof row !== 'object' || row === null) return this.line(textOf(row));
    const lines = linesOf(row as Row);
    if (!this.terminal.isScreen) return this.line(lines.map((line) => line.join('\t')).join('\n'));
    const { colors } = this.terminal;
    const tables = Object.entries(row).filter(([, value]) => isTable(value));
    const fields = lines.filter(([name, text]) => text !== '' && !tables.some(([table]) => table === name));
    const width = Math.max(0, ...fields.map(([name]) => name.length));
    await this.line(
      fields
        .map(([name, text]) => `${colors.dim(name.padEnd(width))}  ${this.colored(name, text)}`)
        .join('\n'),
    );
    for (const [name, value] of tables) await this.nestedTable(safeLine(name), value as readonly Row[]);
  }

  async streamItem(record: unknown, line: string): Promise<void> {
    const { json, jq } = this.settings;
    if (json === undefined) return this.line(line);
    const picked = pick(record, json);
    await this.line(jq === undefined ? safeLine(JSON.stringify(picked)) : await this.filtered(picked, jq));
  }

  async line(text: string): Promise<void> {
    await write(this.terminal.stdout, `${text}\n`);
  }

  note(text: string): void {
    if (!this.settings.isQuiet) this.printToStderr(safeLine(text));
  }

  live(text: string): void {
    this.noteWithLabel(this.terminal.stderrColors.inverse(' LIVE '), text);
  }

  success(text: string): void {
    const { stderrColors, hasUnicode } = this.terminal;
    this.noteWithLabel(stderrColors.green(hasUnicode ? '✓' : 'ok'), text);
  }

  warn(text: string): void {
    this.printToStderr(`${this.terminal.stderrColors.yellow('warning:')} ${safeLine(text)}`);
  }

  detail(text: string): void {
    if (this.settings.isVerbose) this.printToStderr(this.terminal.stderrColors.dim(safeLine(text)));
  }

  private noteWithLabel(label: string, text: string): void {
    if (!this.settings.isQuiet) this.printToStderr(`${label} ${safeLine(text)}`);
  }

  private async json(data: unknown): Promise<void> {
    const { json = [], jq } = this.settings;
    const picked = pick(data, json);
    const text =
      jq === undefined ? safeText(JSON.stringify(picked, null, 2)) : await this.filtered(picked, jq);
    if (text !== '' || jq === undefined) await this.line(text);
  }

  /** Applies a jq filter. On a screen, escapes control characters other than tabs; a pipe gets the exact result. */
  private async filtered(data: unknown, filter: string): Promise<string> {
    const text = await applyFilter(data, filter);
    return this.terminal.isScreen ? text.split('\t').map(safeText).join('\t') : text;
  }

  /** Prints a list of records within a record as a table with a heading. */
  private async nestedTable(name: string, rows: readonly Row[]): Promise<void> {
    const paths = [...new Set(rows.flatMap((row) => linesOf(row).map(([path]) => path)))];
    const cells = rows.map((row) => paths.map((path) => textOf(valueAt(row, path))));
    const table = this.table(
      paths.map((path) => headingOf(path)),
      paths,
      cells,
    );
    await this.line(`\n${this.terminal.colors.dim(`${name}:`)}\n${table}`);
  }

  private table(
    headings: readonly string[],
    paths: readonly string[],
    cells: readonly (readonly string[])[],
  ): string {
    const { columns, hasUnicode, colors } = this.terminal;
    return tableOf(
      headings,
      cells.map((row) => row.map((text) => (text === '' ? EMPTY_CELL : withoutMilliseconds(text)))),
      {
        columns,
        ellipsis: hasUnicode ? '…' : '...',
        heading: (text) => colors.bold(text),
        cell: (text, column) => this.colored(paths[column]!, text),
      },
    );
  }

  /** Colours a status. The text alone is sufficient if the terminal has no colours. */
  private colored(path: string, text: string): string {
    const { colors } = this.terminal;
    if (!/(?:^|\.)(?:status|outcome)$/.test(path)) return text;
    if (GOOD_STATUSES.includes(text)) return colors.green(text);
    return BAD_STATUSES.includes(text) ? colors.red(text) : colors.yellow(text);
  }

  private printToStderr(text: string): void {
    this.terminal.stderr.write(`${text}\n`);
  }
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Removes the milliseconds of a timestamp; returns other text unchanged. */
const withoutMilliseconds = (text: string) => (INSTANT.test(text) ? `${text.slice(0, 19)}Z` : text);

const isTable = (value: unknown) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => typeof item === 'object' && item !== null);

const GOOD_STATUSES = [
  'FILLED',
  'ACTIVE',
  'SUCCEEDED',
  'COMPLETED',
  'CLAIMABLE',
  'CLAIMED',
  'COPIED',
  'RETRIED',
  'ok',
];
const BAD_STATUSES = ['FAILED', 'EXPIRED', 'DISCARDED'];

const pathOf = (column: Column) => (typeof column === 'string' ? column : column[0]);
const headingOf = (column: Column) =>
  (typeof column === 'string' ? column.replace(/_/g, ' ') : column[1]).toUpperCase();

/** Selects fields of a record or of each record of a list. @throws {UsageError} if a field is unknown */
function pick(data: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0) return data;
  if (Array.isArray(data)) {
    for (const field of fields)
      if (data.length > 0 && !data.some((row) => has(row, field))) throw unknownFieldError(field, data[0]);
    return data.map((row) => withFields(row, fields));
  }
  for (const field of fields) if (!has(data, field)) throw unknownFieldError(field, data);
  return withFields(data, fields);
}

function withFields(row: unknown, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, valueAt(row, field) ?? null]));
}

function has(row: unknown, path: string): boolean {
  const [parent, name] = [path.split('.').slice(0, -1).join('.'), path.split('.').at(-1)!];
  const parentValue = parent === '' ? row : valueAt(row, parent);
  return typeof parentValue === 'object' && parentValue !== null && Object.hasOwn(parentValue, name);
}

function unknownFieldError(field: string, row: unknown): UsageError {
  const known = typeof row === 'object' && row !== null ? Object.keys(row) : [];
  return new UsageError(
    `--json: unknown field ${safeText(field)}.`,
    `Fields: ${known.join(', ')}. The word after --json is parsed as field names: put arguments before --json, or write \`--json=\` with nothing after the equals sign to print all fields.`,
  );
}

/**
 * Writes text and waits until the stream accepted it, so that a slow reader applies backpressure.
 * @throws {Failure} if the output cannot be written; the stream's own error if its reader closed the pipe
 */
export async function write(output: Output, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    output.write(text, (error) => {
      if (error == null) resolve();
      else reject(isClosedPipe(error) ? error : outputFailure(error));
    });
  });
}
