import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Platform } from '@trading-automation/core';
import {
  COPYING_CHANNELS,
  type CopierRiskMonitor,
  type CopyPlanner,
  type CopySettlement,
} from '@trading-automation/core/copiers';
import { startWakeableLoop, type WakeableLoop } from './wakeable-loop.js';

const PLAN_EVERY_MS = 500;
const SETTLE_EVERY_MS = 500;
/** Orders of one signal end one after the other: their decisions are settled some at a time. */
const SETTLE_COALESCE_MS = 100;
const GUARD_EVERY_MS = 3_000;
const REOPEN_EVERY_MS = 5_000;

export interface CopyLoopsDependencies {
  readonly platform: Platform;
  readonly planner: Pick<CopyPlanner, 'planNext'>;
  readonly settlement: Pick<CopySettlement, 'settleNext' | 'reopen'>;
  readonly riskMonitor: Pick<CopierRiskMonitor, 'check'>;
  /** What a failed turn is told of by. */
  readonly errorLogger: (what: string) => (error: unknown) => void;
}

/**
 * Copies while the worker runs. Any number of workers may do so at once: planning, settling and guarding find out in
 * the database what is left to do, and do each thing once.
 */
export class CopyLoops implements OnApplicationBootstrap, OnApplicationShutdown {
  private loops: readonly WakeableLoop[] = [];
  private readonly unsubscribe: (() => void)[] = [];

  constructor(private readonly parts: CopyLoopsDependencies) {}

  onApplicationBootstrap(): void {
    const { platform, planner, settlement, riskMonitor, errorLogger } = this.parts;
    const planning = startWakeableLoop({
      tick: async () => (await planner.planNext()) > 0,
      idleMs: PLAN_EVERY_MS,
      onError: errorLogger('signals were not planned'),
    });
    const settling = startWakeableLoop({
      tick: async () => (await settlement.settleNext()) > 0,
      idleMs: SETTLE_EVERY_MS,
      coalesceMs: SETTLE_COALESCE_MS,
      onError: errorLogger('copies were not settled'),
    });
    const guarding = startWakeableLoop({
      tick: async () => {
        await riskMonitor.check();
        return false;
      },
      idleMs: GUARD_EVERY_MS,
      onError: errorLogger('copiers were not guarded'),
    });
    const reopening = startWakeableLoop({
      tick: async () => {
        if ((await settlement.reopen()) > 0) settling.wake();
        return false;
      },
      idleMs: REOPEN_EVERY_MS,
      onError: errorLogger('late entries were not looked for'),
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
