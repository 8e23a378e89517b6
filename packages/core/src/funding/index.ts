export { fundingSince } from './funding.queries.js';
export { FundingRates } from './funding-rates.service.js';
export { type DueFundingRead, FundingReads } from './funding-reads.service.js';
export { FundingReports } from './funding-reports.service.js';
