import { inTransaction } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { type Backlog, readBacklog } from './backlog.queries.js';

/** After this time, Postgres cancels the query, so that monitoring does not add load. */
const READ_TIMEOUT_MS = 5_000;

/** Reads the delivery backlog for monitoring. */
export class WebhookBacklog {
  constructor(private readonly platform: Platform) {}

  /** @throws if Postgres is unavailable, or takes longer than 5 s */
  async read(): Promise<Backlog> {
    return inTransaction(this.platform.database, readBacklog, { statementTimeoutMs: READ_TIMEOUT_MS });
  }
}
