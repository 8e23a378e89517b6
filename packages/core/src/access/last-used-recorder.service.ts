import type { Platform } from '../platform/index.js';
import type { ResolvedCredential } from './credential-lookup.service.js';

/** How exact `last_used_at` is: a credential in constant use is written once in this time by each process. */
const PRECISION_MS = 60_000;
const TABLES = { api_key: 'api_keys', public_key: 'public_keys' } as const;

/** Notes when a credential was last used, without making its request wait. */
export class LastUsedRecorder {
  private readonly notedMs = new Map<string, number>();

  constructor(private readonly platform: Platform) {}

  note({ kind, id }: ResolvedCredential): void {
    const nowMs = Date.now();
    if (nowMs - (this.notedMs.get(id) ?? 0) < PRECISION_MS) return;
    if (this.notedMs.size > 100_000) this.notedMs.clear();
    this.notedMs.set(id, nowMs);
    const statement = `UPDATE ${TABLES[kind]} SET last_used_at = now() WHERE id = $1`;
    // A use that could not be written down is no reason to refuse it.
    this.platform.database.query(statement, [id]).catch(() => this.notedMs.delete(id));
  }
}
