import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Platform } from '@trading-automation/core';
import { COPYING_CHANNELS } from '@trading-automation/core/copiers';
import type { CopyEngine } from './copy-engine.js';
import { startWakeableLoop, type WakeableLoop } from './wakeable-loop.js';

const PLAN_EVERY_MS = 500;
const SETTLE_EVERY_MS = 500;
/**
 * The minimum delay between two settlements. The orders of one signal end shortly after each other; because of the
 * delay, their decisions are settled together.
 */
const SETTLE_COALESCE_MS = 100;
const RISK_CHECK_EVERY_MS = 3_000;
/**
 * An entry can fill after the CLOSE decision of its lot was settled. That decision is then reopened, so that the fill is
 * sold.
 */
const REOPEN_CLOSINGS_EVERY_MS = 5_000;

/** Runs the steps of copying while the worker runs: after notifications, and at intervals if none arrives. */
export class CopyLoops implements OnApplicationBootstrap, OnApplicationShutdown {
  private loops: readonly WakeableLoop[] = [];
  private readonly unsubscribe: (() => void)[] = [];

  constructor(
    private readonly platform: Platform,
    private readonly engine: Pick<CopyEngine, 'plan' | 'settle' | 'reopen' | 'checkRisk'>,
    /** Creates the error handler of a loop; see `ExchangeGateway.errorLogger`. */
    private readonly errorLogger: (event: string, message: string) => (error: unknown) => void,
  ) {}

  onApplicationBootstrap(): void {
    const { platform, engine, errorLogger } = this;
    const planning = startWakeableLoop({
      tick: () => engine.plan(),
      idleMs: PLAN_EVERY_MS,
      onError: errorLogger('copy_plan.failed', 'Could not plan copies of signals.'),
    });
    const settling = startWakeableLoop({
      tick: () => engine.settle(),
      idleMs: SETTLE_EVERY_MS,
      coalesceMs: SETTLE_COALESCE_MS,
      onError: errorLogger('copy_settlement.failed', 'Could not settle copies.'),
    });
    const riskChecking = startWakeableLoop({
      tick: async () => {
        await engine.checkRisk();
        return false;
      },
      idleMs: RISK_CHECK_EVERY_MS,
      onError: errorLogger('copier_risk_check.failed', 'Could not check the risk limits of copiers.'),
    });
    const reopening = startWakeableLoop({
      tick: async () => {
        if (await engine.reopen()) settling.wake();
        return false;
      },
      idleMs: REOPEN_CLOSINGS_EVERY_MS,
      onError: errorLogger(
        'late_entry_check.failed',
        'Could not reopen the CLOSE decisions of lots whose entries filled late.',
      ),
    });
    this.loops = [planning, settling, riskChecking, reopening];
    const { listener } = platform;
    this.unsubscribe.push(
      listener.subscribe(COPYING_CHANNELS.signals, () => planning.wake()),
      listener.subscribe(COPYING_CHANNELS.events, () => settling.wake()),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
