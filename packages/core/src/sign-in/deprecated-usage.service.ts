/**
 * How often each deprecated operation is used, by day in UTC: what tells when it can go.
 *
 * 1. A count and nothing of who or what.
 * 2. Noting makes nobody wait and fails nothing. Counts are written every few seconds; a crash loses the last ones.
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
  /** By day and operation. */
  private noted = new Map<string, DeprecatedUsageCount>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly platform: Platform) {}

  /** @param operation a name of ours, never a caller's text */
  note(operation: string): void {
    this.add({ day: new Date().toISOString().slice(0, 10), operation, uses: 1 });
    this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  /** Resolves once all that was noted before is written, or could not be. */
  write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeNoted());
    return this.writing;
  }

  /** For operators; both days included. */
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
    const before = this.noted.get(key)?.uses ?? 0;
    this.noted.set(key, { ...use, uses: before + use.uses });
  }

  private async writeNoted(): Promise<void> {
    // In one order everywhere: two processes that write at once do not wait for each other in a ring.
    const uses = [...this.noted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
    this.noted = new Map();
    if (uses.length === 0) return;
    try {
      await this.platform.database.query(
        `INSERT INTO deprecated_uses AS d (day, operation, uses)
         SELECT * FROM unnest($1::date[], $2::text[], $3::bigint[])
         ON CONFLICT (day, operation) DO UPDATE SET uses = d.uses + excluded.uses`,
        [uses.map(({ day }) => day), uses.map(({ operation }) => operation), uses.map((use) => use.uses)],
      );
    } catch {
      // Written with the next ones. Twice at worst, where the answer alone was lost.
      for (const use of uses) this.add(use);
    }
  }
}
