import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { State, type StateRecord } from './engine/state.js';

/**
 * A snapshot starts after this many lines. If there are more orders than that, it starts after as many lines as there
 * are orders, so that snapshots become rarer as the state grows.
 */
const COMPACT_AFTER_LINES = 50_000;
const READ_BYTES = 1_048_576;
const NEWLINE = 10;

/**
 * Stores records on disk, one JSON line each, beside a snapshot of all earlier records. `append` returns after the
 * operating system has the line, so the line survives a crash of the process.
 *
 * 1. A record contains new values and no differences, and the files contain all lines since the start of the last
 *    snapshot. Applying these lines in order to the snapshot restores the current state, even if the snapshot already
 *    contains some of them.
 * 2. A snapshot is written record by record while orders continue, so no caller waits for it. The lines from before its
 *    start remain in `journal.old.jsonl` until the snapshot is complete.
 */
export class Journal {
  readonly state = new State();
  private file: number;
  private lineCount = 0;
  private isBroken = false;
  /** The snapshot that is being written, and the callback that writes its next record. */
  private snapshot: { readonly file: number; next: NodeJS.Immediate } | undefined;

  constructor(
    private readonly directory: string,
    private readonly compactAfterLines = COMPACT_AFTER_LINES,
  ) {
    createFolder(directory);
    for (const { text } of linesOf(this.path('snapshot.json'))) this.state.apply(JSON.parse(text));
    for (const name of ['journal.old.jsonl', 'journal.jsonl']) {
      // A crash may truncate the last line of a file. Its change was never confirmed, so skip the line. A truncated
      // line elsewhere means a damaged file: JSON.parse throws.
      for (const { text, isWhole } of linesOf(this.path(name)))
        if (isWhole) this.state.apply(JSON.parse(text));
    }
    this.file = openSync(this.path('journal.jsonl'), 'a', 0o600);
    this.compact();
  }

  /** @throws Error if the line, or an earlier one, could not be written: a line after a truncated one is unreadable */
  append(record: StateRecord): void {
    if (this.isBroken) throw new Error('An earlier line of the journal could not be written.');
    this.isBroken = true;
    writeLine(this.file, record);
    this.isBroken = false;
    this.lineCount += 1;
    const isDue = this.lineCount >= Math.max(this.compactAfterLines, this.state.orderCount());
    if (isDue && this.snapshot === undefined) this.beginSnapshot();
  }

  close(): void {
    if (this.snapshot !== undefined) {
      clearImmediate(this.snapshot.next);
      closeSync(this.snapshot.file);
    }
    this.compact();
    closeSync(this.file);
  }

  private path(name: string): string {
    return join(this.directory, name);
  }

  /** Writes a whole snapshot synchronously. Called at start and close, when no caller waits. */
  private compact(): void {
    const file = openSync(this.path('snapshot.new.json'), 'w', 0o600);
    for (const record of this.state.dump()) writeLine(file, record);
    this.finishSnapshot(file);
    ftruncateSync(this.file);
    fsyncSync(this.file);
    this.lineCount = 0;
  }

  /** Starts to write a snapshot in the background. A disk error ends the process; no data is lost. */
  private beginSnapshot(): void {
    renameSync(this.path('journal.jsonl'), this.path('journal.old.jsonl'));
    closeSync(this.file);
    this.file = openSync(this.path('journal.jsonl'), 'a', 0o600);
    this.lineCount = 0;
    const file = openSync(this.path('snapshot.new.json'), 'w', 0o600);
    const records = this.state.dump();
    const step = (): void => {
      const { done, value } = records.next();
      if (done) {
        this.snapshot = undefined;
        this.finishSnapshot(file);
        return;
      }
      writeLine(file, value);
      this.snapshot = { file, next: setImmediate(step) };
    };
    step();
  }

  private finishSnapshot(file: number): void {
    fsyncSync(file);
    closeSync(file);
    renameSync(this.path('snapshot.new.json'), this.path('snapshot.json'));
    rmSync(this.path('journal.old.jsonl'), { force: true });
  }
}

/** Creates a folder and its parents one level at a time: below /proc, a recursive mkdir never returns. */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function writeLine(file: number, record: StateRecord): void {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  for (let written = 0; written < line.length; ) written += writeSync(file, line, written);
}

/** Yields the lines of a file, which may be too large for one string. The last line may lack a newline. */
function* linesOf(path: string): Generator<{ readonly text: string; readonly isWhole: boolean }> {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  let rest = Buffer.alloc(0);
  for (;;) {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    const length = readSync(file, chunk);
    if (length === 0) break;
    rest = Buffer.concat([rest, chunk.subarray(0, length)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      yield { text: rest.toString('utf8', start, end), isWhole: true };
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
  closeSync(file);
  if (rest.length > 0) yield { text: rest.toString('utf8'), isWhole: false };
}
