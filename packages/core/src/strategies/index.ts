export type { NewSignal, Signal, ToldLot } from './signals/signal.js';
export { SignalStreamsModule } from './signals/signal-streams.module.js';
export { SignalStreams } from './signals/signal-streams.service.js';
export type { SignalSubscription } from './signals/signal-subscription.js';
export {
  appendSignals,
  lastSequenceOf,
  SIGNALS_CHANNEL,
  signalsAfter,
  toldOf,
} from './signals/signals.service.js';
export { StrategiesModule } from './strategies.module.js';
export { StrategiesService } from './strategies.service.js';
export { changeStrategy, lockOwnStrategy, readStrategy, removeStrategy } from './strategy-changes.service.js';
export {
  type HeldStrategy,
  holdStrategy,
  strategyForTrade,
  strategyOfFilter,
  strategyToFollow,
} from './strategy-to-follow.service.js';
