/**
 * Counts the uses of each deprecated operation by UTC day, to decide when it can be removed.
 *
 * 1. Only counts are stored, nothing about callers or inputs.
 * 2. Recording never delays a request or makes it fail. Counts are written every 5 s; a crash loses the
 *    unwritten counts.
 */
import type { Platform } from '../platform/index.js';

const WRITE_EVERY_MS = 5_000;

export interface DeprecatedUsageCount {
  /** `2026-01-31`. */
  readonly day: string;
  readonly operation: string;
  readonly uses: number;
}

export class DeprecatedUsageService {
  /** Unwritten counts by day and operation. */
  private unwritten = new Map<string, DeprecatedUsageCount>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly platform: Platform) {}

  /** Counts one use. @param operation an operation of the product, never text from a caller */
  note(operation: string): void {
    this.add({ day: new Date().toISOString().slice(0, 10), operation, uses: 1 });
    this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  /** Writes all unwritten counts. Resolves even if the write fails. */
  write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeCounts());
    return this.writing;
  }

  /** Returns the counts of the days `from` to `to`, both included, for operators. Unwritten counts are not included. */
  async list(from: string, to: string): Promise<readonly DeprecatedUsageCount[]> {
    const rows: { day: string; operation: string; uses: string }[] = await this.platform.database.query(
      `SELECT day::text, operation, uses FROM deprecated_uses WHERE day BETWEEN $1 AND $2
       ORDER BY deprecated_uses.day, operation`,
      [from, to],
    );
    return rows.map((row) => ({ ...row, uses: Number(row.uses) }));
  }

  onModuleDestroy(): Promise<void> {
    return this.write();
  }

  private add(use: DeprecatedUsageCount): void {
    const key = `${use.day} ${use.operation}`;
    const before = this.unwritten.get(key)?.uses ?? 0;
    this.unwritten.set(key, { ...use, uses: before + use.uses });
  }

  private async writeCounts(): Promise<void> {
    // Sorted, so that concurrent writes of two processes do not deadlock.
    const uses = [...this.unwritten].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
    this.unwritten = new Map();
    if (uses.length === 0) return;
    try {
      await this.platform.database.query(
        `INSERT INTO deprecated_uses AS d (day, operation, uses)
         SELECT * FROM unnest($1::date[], $2::text[], $3::bigint[])
         ON CONFLICT (day, operation) DO UPDATE SET uses = d.uses + excluded.uses`,
        [uses.map(({ day }) => day), uses.map(({ operation }) => operation), uses.map((use) => use.uses)],
      );
    } catch {
      // The next write retries these counts. If only the database's response was lost, they are counted twice.
      for (const use of uses) this.add(use);
    }
  }
}
