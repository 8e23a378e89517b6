import { Inject, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '@trading-automation/contracts';
import { Platform, startHeartbeat } from '@trading-automation/core';
import {
  serveWorkerCall,
  VenueCatalogue,
  type WorkerCallName,
  type WorkerCalls,
} from '@trading-automation/core/exchange-accounts';
import { createTradeIntake } from '@trading-automation/core/trades';
import { ExchangeError } from '@trading-automation/exchanges';
import { Desks } from './desk/desks.js';
import { TradeQueue } from './jobs/trade-queue.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Schedules } from './schedules/schedules.js';

/** Starts what the worker does by itself, and stops it again: intake first, then what is at work. */
export class Worker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly undo: (() => unknown)[] = [];

  constructor(
    @Inject(Platform) private readonly platform: Platform,
    @Inject(Desks) private readonly desks: Desks,
    @Inject(VenueCatalogue) private readonly catalogue: VenueCatalogue,
    @Inject(Schedules) private readonly schedules: Schedules,
    @Inject(TradeQueue) private readonly queue: TradeQueue,
    @Inject(OwnershipLoop) private readonly ownership: OwnershipLoop,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { platform, schedules } = this;
    await this.catalogue.offer(this.desks.venues.all);
    const intake = createTradeIntake(platform, {
      enqueue: (ids) => this.queue.add(ids),
      onError: schedules.errorsOf('new trades were not taken up'),
    });
    const calls = this.serveCalls();
    const stopHeartbeat = startHeartbeat(platform, 'trading-worker');
    this.ownership.start();
    intake.start();
    schedules.start();
    this.undo.push(
      stopHeartbeat,
      // First of all: others take the accounts over while this worker ends.
      () => this.ownership.stop(),
      () => intake.stop(),
      () => schedules.stop(),
      () => Promise.all(calls.map((call) => call.stop())),
      () => this.queue.close(),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    for (const step of this.undo) await step();
  }

  private serveCalls() {
    const { credentials, accounts, trades } = this.desks;
    const serve = <Name extends WorkerCallName>(
      name: Name,
      handle: (input: WorkerCalls[Name]['input'], signal: AbortSignal) => Promise<WorkerCalls[Name]['reply']>,
    ) => serveWorkerCall(this.platform, name, handle, this.schedules.errorsOf(`the call ${name} failed`));
    return [
      serve('exchange_account.test', (input) => credentials.test(input)),
      serve('exchange_account.sync', async ({ account_id }) => {
        await accounts.sync(account_id).catch((error) => {
          // The account says so itself from now on: whoever asked reads it there.
          if (!(error instanceof ExchangeError && error.code === 'credentials_rejected'))
            throw unavailable(error);
        });
        return null;
      }),
      serve('trade.cancel', async ({ trade_id }, signal) => {
        await trades.cancel(trade_id, signal).catch((error) => {
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
