import type { Platform } from '../platform/index.js';
import { IS_OPEN } from './browser-session-end.js';
import type { ResolvedCredential } from './credential-lookup.service.js';

/** The precision of `last_used_at`: each process updates a credential at most once in this time. */
const PRECISION_MS = { api_key: 60_000, public_key: 60_000, browser_session: 10_000 } as const;
const STATEMENTS = {
  api_key: 'UPDATE api_keys SET last_used_at = now() WHERE id = $1',
  public_key: 'UPDATE public_keys SET last_used_at = now() WHERE id = $1',
  // A session that ended since the request was authenticated stays ended.
  browser_session: `UPDATE browser_sessions SET last_used_at = clock_timestamp() WHERE id = $1 AND ${IS_OPEN}`,
} as const;

/** Records when a credential was last used, without delaying the request. */
export class LastUsedRecorder {
  private readonly lastWrittenMs = new Map<string, number>();

  constructor(private readonly platform: Platform) {}

  note({ kind, id }: ResolvedCredential): void {
    const nowMs = Date.now();
    if (nowMs - (this.lastWrittenMs.get(id) ?? 0) < PRECISION_MS[kind]) return;
    if (this.lastWrittenMs.size > 100_000) this.lastWrittenMs.clear();
    this.lastWrittenMs.set(id, nowMs);
    // A failed write must not fail the request.
    this.platform.database.query(STATEMENTS[kind], [id]).catch(() => this.lastWrittenMs.delete(id));
  }
}
