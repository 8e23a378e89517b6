import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { State, type StateRecord } from './engine/state.js';

const COMPACT_AFTER_LINES = 20_000;

/**
 * Records on disk, one JSON line each, beside a snapshot of everything before them. A line is with the operating
 * system before `append` returns, so it outlives the process however that ends. Records are absolute, so replaying lines
 * that a snapshot already holds (a crash between the two steps of a compaction) changes nothing.
 */
export class Journal {
  readonly state = new State();
  private readonly file: number;
  private lines = 0;

  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const snapshot = join(directory, 'snapshot.json');
    if (existsSync(snapshot)) this.state.apply(JSON.parse(readFileSync(snapshot, 'utf8')));
    const journal = join(directory, 'journal.jsonl');
    if (existsSync(journal)) this.replay(readFileSync(journal, 'utf8'));
    this.file = openSync(journal, 'a', 0o600);
    this.compact();
  }

  append(record: StateRecord): void {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    for (let at = 0; at < line.length; ) at += writeSync(this.file, line, at);
    this.lines += 1;
    if (this.lines >= COMPACT_AFTER_LINES) this.compact();
  }

  close(): void {
    this.compact();
    closeSync(this.file);
  }

  private compact(): void {
    const target = join(this.directory, 'snapshot.json');
    writeFileSync(`${target}.new`, JSON.stringify(this.state.dump()), { mode: 0o600, flush: true });
    renameSync(`${target}.new`, target);
    ftruncateSync(this.file);
    fsyncSync(this.file);
    this.lines = 0;
  }

  /** The last line may be torn by a crash; its change was never answered. A torn line anywhere else is damage. */
  private replay(text: string): void {
    const lines = text.split('\n');
    lines.pop();
    for (const line of lines) this.state.apply(JSON.parse(line));
  }
}
