export { changeStrategy, lockOwnStrategy, readStrategy, removeStrategy } from './change-strategy.js';
export { refreshFigures } from './figures/refresh-figures.js';
export { maskInputs, maskTarget, ownInputs } from './leader-privacy.rules.js';
export {
  type LockedStrategy,
  lockStrategyForTrade,
  lockStrategyShared,
  lockStrategyToFollow,
  resolveStrategyFilter,
} from './lock-strategy.js';
export { notifyMultiplierOwners } from './multiplier-notices.js';
export type { EmittedLotState, NewSignal, Signal } from './signals/signal.js';
export { SignalStreamsModule } from './signals/signal-streams.module.js';
export { SignalStreams } from './signals/signal-streams.service.js';
export type { SignalSubscription } from './signals/signal-subscription.js';
export {
  appendSignals,
  lastSequenceOf,
  loadEmittedLots,
  SIGNALS_CHANNEL,
  signalsAfter,
} from './signals/signals.queries.js';
export { StrategiesModule } from './strategies.module.js';
export { StrategiesService } from './strategies.service.js';
