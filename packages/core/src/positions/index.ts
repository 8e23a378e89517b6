export { emitLiquidated, type LiquidatedPosition } from './emit-liquidated.js';
export { MarginEstimates, type OpenMarkets } from './margin-estimates.js';
export { type MarketSettings, marketSettings, positionMargin } from './market-settings.queries.js';
export { type MarginReading, PositionReports, type StoredPositions } from './position-reports.service.js';
export { PositionsModule } from './positions.module.js';
export { PositionsService } from './positions.service.js';
