import { OUTBOX_CHANNEL } from '@trading-automation/persistence';
import { SIGNALS_CHANNEL } from '../../strategies/index.js';

/** The channels of new signals and of events, which wake copying. An order that ends emits an event. */
export const COPYING_CHANNELS = { signals: SIGNALS_CHANNEL, events: OUTBOX_CHANNEL } as const;
