import { Inject, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SubmissionRelay } from './jobs/submission-relay.js';
import { OwnershipLoop } from './ownership/ownership-loop.js';
import { Scheduler } from './schedules/scheduler.js';
import { WorkerCallServer } from './worker-call-server.js';

/** Starts the worker's own tasks and stops them in order: first the intake, then the work in flight. */
export class Worker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shutdownSteps: (() => unknown)[] = [];

  constructor(
    @Inject(WorkerCallServer) private readonly calls: WorkerCallServer,
    @Inject(OwnershipLoop) private readonly ownership: OwnershipLoop,
    @Inject(SubmissionRelay) private readonly relay: SubmissionRelay,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { calls, ownership, relay, scheduler } = this;
    await calls.start();
    ownership.start();
    relay.start();
    scheduler.start();
    this.shutdownSteps.push(
      // First, so that other workers can take the accounts over while this one shuts down.
      () => ownership.stop(),
      () => relay.stop(),
      () => scheduler.stop(),
      () => calls.stop(),
      () => relay.close(),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    for (const step of this.shutdownSteps) await step();
  }
}
