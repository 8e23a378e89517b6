import type { Platform } from '@trading-automation/core';
import { createTradeSubmissionRelay } from '@trading-automation/core/trades';
import type { TradeQueue } from './trade-queue.js';

/** Queues new trades for submission as soon as they are committed. */
export class SubmissionRelay {
  private readonly relay: ReturnType<typeof createTradeSubmissionRelay>;

  constructor(
    platform: Platform,
    private readonly queue: TradeQueue,
    onError: (error: unknown) => void,
  ) {
    this.relay = createTradeSubmissionRelay(platform, { enqueue: (ids) => queue.add(ids), onError });
  }

  start(): void {
    this.relay.start();
  }

  /** Stops queuing trades. */
  async stopQueuing(): Promise<void> {
    await this.relay.stop();
  }

  /** Closes the queue. */
  async closeQueue(): Promise<void> {
    await this.queue.close();
  }
}
