import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Platform } from '@trading-automation/core';
import {
  COPYING_CHANNELS,
  type CopyGuard,
  type CopyPlanner,
  type CopySettlement,
} from '@trading-automation/core/copiers';
import { startWokenLoop, type WokenLoop } from './woken-loop.js';

const PLAN_EVERY_MS = 500;
const SETTLE_EVERY_MS = 500;
/** Orders of one signal end one after the other: their decisions are settled some at a time. */
const SETTLE_PACE_MS = 100;
const GUARD_EVERY_MS = 3_000;
const REOPEN_EVERY_MS = 5_000;

export interface CopyingParts {
  readonly platform: Platform;
  readonly planner: Pick<CopyPlanner, 'planNext'>;
  readonly settlement: Pick<CopySettlement, 'settleNext' | 'reopen'>;
  readonly guard: Pick<CopyGuard, 'check'>;
  /** What a failed turn is told of by. */
  readonly errorsOf: (what: string) => (error: unknown) => void;
}

/**
 * Copies while the worker runs. Any number of workers may do so at once: planning, settling and guarding find out in
 * the database what is left to do, and do each thing once.
 */
export class Copying implements OnApplicationBootstrap, OnApplicationShutdown {
  private loops: readonly WokenLoop[] = [];
  private readonly unsubscribe: (() => void)[] = [];

  constructor(private readonly parts: CopyingParts) {}

  onApplicationBootstrap(): void {
    const { platform, planner, settlement, guard, errorsOf } = this.parts;
    const planning = startWokenLoop({
      turn: async () => (await planner.planNext()) > 0,
      restMs: PLAN_EVERY_MS,
      onError: errorsOf('signals were not planned'),
    });
    const settling = startWokenLoop({
      turn: async () => (await settlement.settleNext()) > 0,
      restMs: SETTLE_EVERY_MS,
      paceMs: SETTLE_PACE_MS,
      onError: errorsOf('copies were not settled'),
    });
    const guarding = startWokenLoop({
      turn: async () => {
        await guard.check();
        return false;
      },
      restMs: GUARD_EVERY_MS,
      onError: errorsOf('copiers were not guarded'),
    });
    const reopening = startWokenLoop({
      turn: async () => {
        if ((await settlement.reopen()) > 0) settling.wake();
        return false;
      },
      restMs: REOPEN_EVERY_MS,
      onError: errorsOf('late entries were not looked for'),
    });
    this.loops = [planning, settling, guarding, reopening];
    const { listener } = platform;
    this.unsubscribe.push(
      listener.subscribe(COPYING_CHANNELS.signals, () => planning.wake()),
      listener.subscribe(COPYING_CHANNELS.events, () => settling.wake()),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    for (const end of this.unsubscribe) end();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
