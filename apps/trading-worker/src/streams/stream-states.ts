import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountStreams, StreamState } from './account-streams.js';

const STREAM_FAILED = 'The account stream was lost, or the account could not be reconciled; trying again.';

/** Logs the states of account streams, and reconciles accounts whose reports could not be stored. */
export class StreamStates {
  constructor(
    private readonly streams: AccountStreams,
    private readonly logger: Logger,
  ) {}

  addConnected(accountId: string): void {
    this.streams.addConnected(accountId);
  }

  addFunded(accountId: string): void {
    this.streams.addFunded(accountId);
  }

  /** Reconciles an account of which an order was reported that could not be stored. */
  reconcileUnstored(accountId: string, error: unknown): void {
    this.logger.error(
      { event: 'order_update.not_stored', err: error, account_id: accountId },
      'Could not store an order from the account stream; reconciling the account.',
    );
    this.streams.reconcileSoon(accountId);
  }

  /** Logs the state of a stream, with the error that caused it, if any. */
  record(accountId: string, state: StreamState, error: unknown): void {
    const { logger } = this;
    if (error === undefined) {
      logger.debug(
        { event: 'account_stream.state_changed', account_id: accountId, state },
        'The state of the account stream changed.',
      );
    } else if (error instanceof ExchangeError) {
      const { outcome, code } = error;
      logger.warn(
        { event: 'account_stream.failed', account_id: accountId, state, outcome, code },
        STREAM_FAILED,
      );
    } else {
      logger.warn(
        { event: 'account_stream.failed', err: error, account_id: accountId, state },
        STREAM_FAILED,
      );
    }
  }
}
