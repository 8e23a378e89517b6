import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '@trading-automation/contracts';
import { Platform, startHeartbeat } from '@trading-automation/core';
import {
  serveWorkerCall,
  VenueCatalogue,
  type WorkerCallName,
  type WorkerCalls,
} from '@trading-automation/core/exchange-accounts';
import { createTradeSubmissionRelay } from '@trading-automation/core/trades';
import { ExchangeError } from '@trading-automation/exchanges';
import { ExchangeGateway } from './exchange/exchange-gateway.js';
import { TradeQueue } from './jobs/trade-queue.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Scheduler } from './schedules/scheduler.js';

/** Starts the worker's own tasks and stops them in order: first the intake, then the work in flight. */
@Injectable()
export class Worker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shutdownSteps: (() => unknown)[] = [];

  constructor(
    private readonly platform: Platform,
    private readonly gateway: ExchangeGateway,
    private readonly catalogue: VenueCatalogue,
    private readonly scheduler: Scheduler,
    private readonly queue: TradeQueue,
    private readonly ownership: OwnershipLoop,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { platform, scheduler } = this;
    await this.catalogue.publish(this.gateway.venues.all);
    const relay = createTradeSubmissionRelay(platform, {
      enqueue: (ids) => this.queue.add(ids),
      onError: scheduler.errorLogger(
        'trade_submission_relay.failed',
        'Could not queue new trades for submission.',
      ),
    });
    const calls = this.serveCalls();
    const stopHeartbeat = startHeartbeat(platform, 'trading-worker');
    this.ownership.start();
    relay.start();
    scheduler.start();
    this.shutdownSteps.push(
      stopHeartbeat,
      // First, so that other workers can take the accounts over while this one shuts down.
      () => this.ownership.stop(),
      () => relay.stop(),
      () => scheduler.stop(),
      () => Promise.all(calls.map((call) => call.stop())),
      () => this.queue.close(),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    for (const step of this.shutdownSteps) await step();
  }

  private serveCalls() {
    const { credentials, balanceSync, orderReconciler } = this.gateway;
    const serve = <Name extends WorkerCallName>(
      name: Name,
      handle: (input: WorkerCalls[Name]['input'], signal: AbortSignal) => Promise<WorkerCalls[Name]['reply']>,
    ) =>
      serveWorkerCall(
        this.platform,
        name,
        handle,
        this.scheduler.errorLogger('worker_call.failed', `The worker call ${name} failed.`),
      );
    return [
      serve('exchange_account.test', (input) => credentials.test(input)),
      serve('exchange_account.sync', async ({ account_id }) => {
        await balanceSync.sync(account_id).catch((error) => {
          // The account itself reports a rejection of its credentials; the caller reads it there.
          if (!(error instanceof ExchangeError && error.code === 'credentials_rejected'))
            throw unavailable(error);
        });
        return null;
      }),
      serve('trade.cancel', async ({ trade_id }, signal) => {
        await orderReconciler.cancel(trade_id, signal).catch((error) => {
          throw unavailable(error);
        });
        return null;
      }),
    ];
  }
}

/** To the caller, an exchange that does not respond as requested is a service that is unavailable. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof ExchangeError)) return error;
  return new DomainError('service_unavailable', error.message, [], { cause: error });
}
