import { OUTBOX_CHANNEL } from '@trading-automation/persistence';
import { SIGNALS_CHANNEL } from '../../strategies/index.js';

/** What wakes copying: new signals, and events, which tell of orders that ended. Hints alone. */
export const COPYING_CHANNELS = { signals: SIGNALS_CHANNEL, events: OUTBOX_CHANNEL } as const;
