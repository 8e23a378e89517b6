import { inTransaction } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { type Backlog, readBacklog } from './backlog.queries.js';

/** Who watches must not become a load himself: a look that takes longer is given up. */
const LOOK_TIMEOUT_MS = 5_000;

/** For who watches over deliveries. */
export class WebhookBacklog {
  constructor(private readonly platform: Platform) {}

  /** @throws where Postgres is away, or takes longer than 5 s */
  async read(): Promise<Backlog> {
    return inTransaction(this.platform.database, async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${LOOK_TIMEOUT_MS}`);
      return readBacklog(tx);
    });
  }
}
