/**
 * Says things: data on stdout, everything about it on stderr.
 *
 * 1. stdout holds data alone: in a pipe it is the same whether a table, a spinner or a warning was shown beside it.
 * 2. A screen gets tables; a pipe gets one line for each record with tabs between, without headings and colours;
 *    `--json` gets JSON in both, the same.
 */
import { UsageError } from '../failures.js';
import type { Settings } from '../profile/settings.js';
import { filtered } from './jq.js';
import { tableOf } from './table.js';
import type { Output, Terminal } from './terminal.js';
import { linesOf, NOTHING, type Row, safeLine, safeText, textOf, valueAt } from './text-of.js';

/** One column: `status`, or `fee.amount` under the heading that is beside it. */
export type Column = string | readonly [path: string, heading: string];

export interface ListEnd {
  /** There is more than was shown. */
  readonly hasMore: boolean;
}

export interface Printer {
  /** Many records. */
  records(rows: readonly unknown[], columns: readonly Column[], end?: ListEnd): Promise<void>;
  /** One record, all of it. */
  record(row: unknown): Promise<void>;
  /** One of a stream: a line of JSON under `--json`, else the line. */
  streamed(record: unknown, line: string): Promise<void>;
  /** Data that is text already. */
  line(text: string): Promise<void>;
  /** On stderr; nothing under `--quiet`. */
  note(text: string): void;
  success(text: string): void;
  /** On stderr, also under `--quiet`. */
  warn(text: string): void;
  /** On stderr, under `--verbose` alone. */
  detail(text: string): void;
}

export class TerminalPrinter implements Printer {
  constructor(
    private readonly terminal: Terminal,
    private readonly settings: Settings,
  ) {}

  async records(rows: readonly unknown[], columns: readonly Column[], end?: ListEnd): Promise<void> {
    if (this.settings.json !== undefined) return this.json(rows);
    const paths = columns.map(pathOf);
    const cells = rows.map((row) => paths.map((path) => textOf(valueAt(row, path))));
    if (!this.terminal.isScreen) {
      if (cells.length > 0) await this.line(cells.map((row) => row.join('\t')).join('\n'));
      return;
    }
    if (cells.length === 0) return this.note('There is none.');
    await this.line(this.table(columns.map(headingOf), paths, cells));
    if (end?.hasMore === true)
      this.note(`There are more than these ${rows.length}: see them by --limit or --all.`);
  }

  async record(row: unknown): Promise<void> {
    if (this.settings.json !== undefined) return this.json(row);
    if (typeof row !== 'object' || row === null) return this.line(textOf(row));
    const lines = linesOf(row as Row);
    if (!this.terminal.isScreen) return this.line(lines.map((line) => line.join('\t')).join('\n'));
    const { colors } = this.terminal;
    const tables = Object.entries(row).filter(([, value]) => isTable(value));
    const told = lines.filter(([name, text]) => text !== '' && !tables.some(([table]) => table === name));
    const width = Math.max(0, ...told.map(([name]) => name.length));
    await this.line(
      told.map(([name, text]) => `${colors.dim(name.padEnd(width))}  ${this.colored(name, text)}`).join('\n'),
    );
    for (const [name, value] of tables) await this.nestedTable(safeLine(name), value as readonly Row[]);
  }

  async streamed(record: unknown, line: string): Promise<void> {
    const { json, jq } = this.settings;
    if (json === undefined) return this.line(line);
    const picked = pick(record, json);
    await this.line(jq === undefined ? JSON.stringify(picked) : await filtered(picked, jq));
  }

  async line(text: string): Promise<void> {
    await write(this.terminal.stdout, `${text}\n`);
  }

  note(text: string): void {
    if (!this.settings.isQuiet) this.printToStderr(text);
  }

  success(text: string): void {
    const { noteColors, hasUnicode } = this.terminal;
    this.note(`${noteColors.green(hasUnicode ? '✓' : 'ok')} ${text}`);
  }

  warn(text: string): void {
    this.printToStderr(`${this.terminal.noteColors.yellow('warning:')} ${text}`);
  }

  detail(text: string): void {
    if (this.settings.isVerbose) this.printToStderr(this.terminal.noteColors.dim(text));
  }

  private async json(data: unknown): Promise<void> {
    const { json = [], jq } = this.settings;
    const picked = pick(data, json);
    const text = jq === undefined ? JSON.stringify(picked, null, 2) : await filtered(picked, jq);
    if (text !== '' || jq === undefined) await this.line(text);
  }

  /** Records within a record, under its name. */
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
      cells.map((row) => row.map((text) => (text === '' ? NOTHING : shortened(text)))),
      {
        columns,
        ellipsis: hasUnicode ? '…' : '...',
        heading: (text) => colors.bold(text),
        cell: (text, at) => this.colored(paths[at]!, text),
      },
    );
  }

  /** States are told by their words; the colour is beside them. */
  private colored(path: string, text: string): string {
    const { colors } = this.terminal;
    if (!/(?:^|\.)(?:status|outcome)$/.test(path)) return text;
    if (GOOD.includes(text)) return colors.green(text);
    return BAD.includes(text) ? colors.red(text) : colors.yellow(text);
  }

  private printToStderr(text: string): void {
    this.terminal.stderr.write(`${text}\n`);
  }
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** An instant without the thousandths of its second. */
const shortened = (text: string) => (INSTANT.test(text) ? `${text.slice(0, 19)}Z` : text);

const isTable = (value: unknown) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => typeof item === 'object' && item !== null);

const GOOD = [
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
const BAD = ['FAILED', 'EXPIRED', 'DISCARDED'];

const pathOf = (column: Column) => (typeof column === 'string' ? column : column[0]);
const headingOf = (column: Column) =>
  (typeof column === 'string' ? column.replace(/_/g, ' ') : column[1]).toUpperCase();

/** The named members of a record, or of each record of many. @throws {UsageError} where one is unknown */
function pick(data: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0) return data;
  if (Array.isArray(data)) {
    for (const field of fields)
      if (data.length > 0 && !data.some((row) => has(row, field))) throw unknown(field, data[0]);
    return data.map((row) => picked(row, fields));
  }
  for (const field of fields) if (!has(data, field)) throw unknown(field, data);
  return picked(data, fields);
}

function picked(row: unknown, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, valueAt(row, field) ?? null]));
}

function has(row: unknown, path: string): boolean {
  const [parent, name] = [path.split('.').slice(0, -1).join('.'), path.split('.').at(-1)!];
  const holder = parent === '' ? row : valueAt(row, parent);
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name);
}

function unknown(field: string, row: unknown): UsageError {
  const known = typeof row === 'object' && row !== null ? Object.keys(row) : [];
  return new UsageError(
    `--json: the record has no field ${safeText(field)}.`,
    `It has: ${known.join(', ')}. An argument after --json is taken for its fields: put it before, or write --json=`,
  );
}

/** Waits until it was taken: a slow reader holds the writer back. */
export async function write(output: Output, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    output.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}
