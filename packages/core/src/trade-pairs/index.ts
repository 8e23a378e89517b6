export {
  type Conversion,
  type ConversionPath,
  conversionKey,
  conversionPaths,
  convert,
} from './conversion-paths.queries.js';
export { PairCatalogue } from './pair-catalogue.service.js';
export { PairMarketData } from './pair-market-data.service.js';
export { PairCatalogueModule, PairMarketDataModule, TradePairsModule } from './trade-pairs.module.js';
export { type PairForTrade, pairForTrade, TradePairsService } from './trade-pairs.service.js';
export { BALANCES_KNOWN_AT, type Equity, equitiesOf } from './valuation.queries.js';
