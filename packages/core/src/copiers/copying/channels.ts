import { OUTBOX_CHANNEL } from '@trading-automation/persistence';
import { SIGNALS_CHANNEL } from '../../strategies/index.js';

/** Channels that wake copying: new signals, and events, because an order that ends emits one. Messages are hints only. */
export const COPYING_CHANNELS = { signals: SIGNALS_CHANNEL, events: OUTBOX_CHANNEL } as const;
