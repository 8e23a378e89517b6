import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SubmissionRelay } from './jobs/submission-relay.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Scheduler } from './schedules/scheduler.js';
import { WorkerCallServer } from './worker-call-server.js';

/** Starts the worker's own tasks. On shutdown, stops the intake of work first, then waits for the work in flight. */
@Injectable()
export class Worker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shutdownSteps: (() => unknown)[] = [];

  constructor(
    private readonly calls: WorkerCallServer,
    private readonly ownership: OwnershipLoop,
    private readonly relay: SubmissionRelay,
    private readonly scheduler: Scheduler,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { calls, ownership, relay, scheduler } = this;
    await calls.start();
    ownership.start();
    relay.start();
    scheduler.start();
    this.shutdownSteps.push(
      // Release the accounts first, so that other workers can take them over while this one shuts down.
      () => ownership.stop(),
      () => relay.stopQueuing(),
      () => scheduler.stop(),
      () => calls.stop(),
      () => relay.closeQueue(),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    for (const step of this.shutdownSteps) await step();
  }
}
