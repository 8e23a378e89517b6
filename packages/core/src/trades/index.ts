export {
  BASE_SCALE,
  type ClosedTrade,
  type FillOutcome,
  LotBook,
  type LotFill,
  QUOTE_SCALE,
} from './lots.rules.js';
export { type AskedTrade, askToCancelAll, readStopped, type StoppedTrades } from './stop-trades.service.js';
export { type Failure, TradeExecution, type TradeToWork } from './trade-execution.service.js';
export { createTradeIntake, type TradeIntakeOptions } from './trade-intake.js';
export { TradeExecutionModule, TradesModule } from './trades.module.js';
export { TradesService } from './trades.service.js';
