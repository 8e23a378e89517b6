export { fundingSince } from './funding.queries.js';
export { FundingReports } from './funding-reports.service.js';
