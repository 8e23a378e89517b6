import { until } from '../launch/first-trade/scenario.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';

/** Three times in a row, a dispatcher is killed while the receiver holds its request. */

const kills = 3;
/** The interval is so long that the sweeper never runs. */
const withoutSweeper = { SWEEP_MS: '600000' };

/** @type {import('./environment.mjs').Fault} */
export const fault = {
  id: 'F4',
  title:
    'the dispatcher that sends an attempt is killed (`kill -9`) three times in a row, each time during that attempt',
  target:
    'the attempt is still delivered under the same attempt number; so are the deliveries that wait behind it',
  defence: 'unlimited restarts of a stalled BullMQ job, and the sweeper',
  sizes: {
    short: { settings: { SILENCE_MS: '1000' }, sabotage: ['short-locks'], holds: 1, withinMs: 30_000 },
    long: { settings: {}, sabotage: [], holds: 20, withinMs: 60_000 },
  },

  async run({ size, seed, isDefended }) {
    let isHolding = true;
    const receiver = await openRecordingReceiver({ respond: () => (isHolding ? undefined : 204) });
    // Without the defence the deliveries never arrive, so a shorter wait is enough.
    const withinMs = isDefended ? size.withinMs : size.withinMs / 3;
    const environment = await openFaultEnvironment({ seed, settings: size.settings });
    const options = isDefended
      ? { sabotage: size.sabotage }
      : { settings: withoutSweeper, sabotage: ['default-stalled-count', ...size.sabotage] };
    try {
      const webhooks = await environment.addWebhooks({ users: size.holds, receiver });
      for (const { userId } of webhooks) await environment.emit(userId);
      for (let kill = 0; kill < kills; kill++) {
        const dispatcher = await environment.startDispatcher(options);
        const allHeld = await until(
          async () => receiver.inFlight.size,
          (count) => count === size.holds,
          withinMs,
        ).catch(() => false);
        await environment.crash(dispatcher);
        if (allHeld === false) break;
      }
      isHolding = false;
      await environment.startDispatcher(options);
      await environment.untilDrained({ withinMs });
      const figures = await environment.reconcile(receiver);
      const violations = findViolations(figures, { duplicatesMax: kills * size.holds });
      if (figures.requests < (kills + 1) * size.holds)
        violations.push(`only ${figures.requests} requests arrived`);
      const numbers = new Set(receiver.received.map(({ attempt }) => attempt));
      if (numbers.size > 1) violations.push('the attempt number changed');
      return { figures: { ...figures, kills }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};
