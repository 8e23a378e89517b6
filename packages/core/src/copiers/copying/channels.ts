import { OUTBOX_CHANNEL } from '@trading-automation/persistence';
import { SIGNALS_CHANNEL } from '../../strategies/index.js';

/** The Postgres channels whose notifications wake copying. An order that ends wakes it, too: it emits an event. */
export const COPYING_CHANNELS = { signals: SIGNALS_CHANNEL, events: OUTBOX_CHANNEL } as const;
