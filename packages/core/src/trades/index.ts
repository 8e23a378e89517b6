export { type Failure, TradeExecution, type TradeToWork } from './trade-execution.service.js';
export { createTradeIntake, type TradeIntakeOptions } from './trade-intake.js';
export { TradeExecutionModule, TradesModule } from './trades.module.js';
export { TradesService } from './trades.service.js';
