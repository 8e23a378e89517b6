/**
 * Writes the requests of an API to the request log, in batches and outside the requests.
 *
 * 1. A request never waits for its row, and does not fail if the row cannot be written.
 * 2. Rows are lost if the process ends abruptly or the database is unavailable. The loss is logged.
 * 3. The users share the memory for rows that wait. A user who sends more than the share has the rest not recorded.
 */
import { insertMany, inTransaction, newUuid } from '@trading-automation/persistence';
import type { ChargedCaller } from '../access/index.js';
import type { Platform } from '../platform/index.js';
import { RequestLogEntity } from './request-log.entity.js';
import { slotOf } from './request-log.slots.js';

/** A request with a valid credential, once its response was sent. */
export type RecordedRequest = Pick<
  RequestLogEntity,
  'method' | 'route' | 'status' | 'durationMs' | 'requestId' | 'address'
> & {
  readonly caller: ChargedCaller;
  /** When the request arrived. */
  readonly at: Date;
};

export interface RequestRecorderOptions {
  /** Called with the number of requests that are not recorded, and the cause if the database refused them. */
  readonly onLost: (count: number, error?: unknown) => void;
  /** How long a row waits for others, in ms. Default: 1,000. */
  readonly flushEveryMs?: number;
}

const FLUSH_EVERY_MS = 1_000;
/** How many rows wait at most, and how many of one user. */
const WAITING_MAX = 5_000;
const WAITING_PER_USER_MAX = 500;

export class RequestRecorder {
  private waiting: RecordedRequest[] = [];
  private waitingByUser = new Map<string, number>();
  private lostCount = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly platform: Platform,
    private readonly options: RequestRecorderOptions,
  ) {}

  readonly record = (request: RecordedRequest): void => {
    const ofUser = this.waitingByUser.get(request.caller.userId) ?? 0;
    if (ofUser >= WAITING_PER_USER_MAX || this.waiting.length >= WAITING_MAX) this.lostCount++;
    else {
      this.waiting.push(request);
      this.waitingByUser.set(request.caller.userId, ofUser + 1);
    }
    this.timer ??= setTimeout(() => void this.flush(), this.options.flushEveryMs ?? FLUSH_EVERY_MS).unref();
  };

  /** Writes the rows that wait. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushing = this.flushing.then(() => this.write());
    await this.flushing;
  }

  private async write(): Promise<void> {
    const [requests, lostCount] = [this.waiting, this.lostCount];
    this.waiting = [];
    this.waitingByUser = new Map();
    this.lostCount = 0;
    if (lostCount > 0) this.options.onLost(lostCount);
    if (requests.length === 0) return;
    try {
      await inTransaction(this.platform.database, async (tx) => {
        await tx.query('SET LOCAL synchronous_commit = off');
        await insertMany(tx, RequestLogEntity, requests.map(rowOf));
      });
    } catch (error) {
      this.options.onLost(requests.length, error);
    }
  }
}

function rowOf({ caller, at, ...request }: RecordedRequest): RequestLogEntity {
  const { userId, credential } = caller;
  return {
    ...request,
    slot: slotOf(at),
    id: newUuid(),
    userId,
    credentialKind: credential.kind,
    credentialId: credential.id,
    createdAt: at,
  };
}
