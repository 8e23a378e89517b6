import { Inject, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
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

/** Starts what the worker does by itself, and stops it again: intake first, then what is at work. */
export class Worker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shutdownSteps: (() => unknown)[] = [];

  constructor(
    @Inject(Platform) private readonly platform: Platform,
    @Inject(ExchangeGateway) private readonly gateway: ExchangeGateway,
    @Inject(VenueCatalogue) private readonly catalogue: VenueCatalogue,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(TradeQueue) private readonly queue: TradeQueue,
    @Inject(OwnershipLoop) private readonly ownership: OwnershipLoop,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { platform, scheduler } = this;
    await this.catalogue.publish(this.gateway.venues.all);
    const relay = createTradeSubmissionRelay(platform, {
      enqueue: (ids) => this.queue.add(ids),
      onError: scheduler.errorLogger('new trades were not taken up'),
    });
    const calls = this.serveCalls();
    const stopHeartbeat = startHeartbeat(platform, 'trading-worker');
    this.ownership.start();
    relay.start();
    scheduler.start();
    this.shutdownSteps.push(
      stopHeartbeat,
      // First of all: others take the accounts over while this worker ends.
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
    ) => serveWorkerCall(this.platform, name, handle, this.scheduler.errorLogger(`the call ${name} failed`));
    return [
      serve('exchange_account.test', (input) => credentials.test(input)),
      serve('exchange_account.sync', async ({ account_id }) => {
        await balanceSync.sync(account_id).catch((error) => {
          // The account says so itself from now on: whoever asked reads it there.
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

/** To whoever waits for it, an exchange that does not do what it is asked is a service that is down for now. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof ExchangeError)) return error;
  return new DomainError('service_unavailable', error.message, [], { cause: error });
}
