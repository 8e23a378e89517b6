import type { Platform } from '../platform/index.js';
import type { ResolvedCredential } from './credential-lookup.service.js';

/** The precision of `last_used_at`: each process updates a credential at most once in this time. */
const PRECISION_MS = 60_000;
const TABLES = { api_key: 'api_keys', public_key: 'public_keys' } as const;

/** Records when a credential was last used, without delaying the request. */
export class LastUsedRecorder {
  private readonly lastWrittenMs = new Map<string, number>();

  constructor(private readonly platform: Platform) {}

  note({ kind, id }: ResolvedCredential): void {
    const nowMs = Date.now();
    if (nowMs - (this.lastWrittenMs.get(id) ?? 0) < PRECISION_MS) return;
    if (this.lastWrittenMs.size > 100_000) this.lastWrittenMs.clear();
    this.lastWrittenMs.set(id, nowMs);
    const statement = `UPDATE ${TABLES[kind]} SET last_used_at = now() WHERE id = $1`;
    // A failed write must not fail the request.
    this.platform.database.query(statement, [id]).catch(() => this.lastWrittenMs.delete(id));
  }
}
