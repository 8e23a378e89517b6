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
import { join } from 'node:path';
import { State, type StateRecord } from './engine/state.js';

/** A new snapshot is begun at this many lines, or at as many as there are orders: rarer as these grow. */
const COMPACT_AFTER_LINES = 50_000;
const READ_BYTES = 1_048_576;
const NEWLINE = 10;

/**
 * Records on disk, one JSON line each, beside a snapshot of everything before them. A line is with the operating
 * system before `append` returns, so it outlives the process however that ends.
 *
 * 1. Records are absolute, and all lines since a snapshot was begun are there: replaying them in order over it comes to
 *    the present, whatever the snapshot holds of them already.
 * 2. A snapshot is written piece by piece between other work, while orders go on: nobody waits for it. The lines before
 *    its beginning are kept, in a file of their own, until it is whole.
 */
export class Journal {
  readonly state = new State();
  private file: number;
  private lines = 0;
  private writing: { readonly file: number; next: NodeJS.Immediate } | undefined;

  constructor(
    private readonly directory: string,
    private readonly compactAfterLines = COMPACT_AFTER_LINES,
  ) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const { text } of linesOf(this.path('snapshot.json'))) this.state.apply(JSON.parse(text));
    for (const name of ['journal.old.jsonl', 'journal.jsonl']) {
      // The last line may be torn by a crash; its change was never answered. A torn line anywhere else is damage.
      for (const { text, isWhole } of linesOf(this.path(name)))
        if (isWhole) this.state.apply(JSON.parse(text));
    }
    this.file = openSync(this.path('journal.jsonl'), 'a', 0o600);
    this.compact();
  }

  append(record: StateRecord): void {
    writeLine(this.file, record);
    this.lines += 1;
    const isDue = this.lines >= Math.max(this.compactAfterLines, this.state.orderCount());
    if (isDue && this.writing === undefined) this.beginSnapshot();
  }

  close(): void {
    if (this.writing !== undefined) {
      clearImmediate(this.writing.next);
      closeSync(this.writing.file);
    }
    this.compact();
    closeSync(this.file);
  }

  private path(name: string): string {
    return join(this.directory, name);
  }

  /** All at once, where nobody waits. */
  private compact(): void {
    const file = openSync(this.path('snapshot.new.json'), 'w', 0o600);
    for (const record of this.state.dump()) writeLine(file, record);
    this.finishSnapshot(file);
    ftruncateSync(this.file);
    fsyncSync(this.file);
    this.lines = 0;
  }

  /** A disk that fails meanwhile ends the process, by which nothing is lost. */
  private beginSnapshot(): void {
    renameSync(this.path('journal.jsonl'), this.path('journal.old.jsonl'));
    closeSync(this.file);
    this.file = openSync(this.path('journal.jsonl'), 'a', 0o600);
    this.lines = 0;
    const file = openSync(this.path('snapshot.new.json'), 'w', 0o600);
    const records = this.state.dump();
    const step = (): void => {
      const { done, value } = records.next();
      if (done) {
        this.writing = undefined;
        this.finishSnapshot(file);
        return;
      }
      writeLine(file, value);
      this.writing = { file, next: setImmediate(step) };
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

function writeLine(file: number, record: StateRecord): void {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(file, line, at);
}

/** The lines of a file, which may be larger than a string can be; the last may lack its end. No file has no lines. */
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
