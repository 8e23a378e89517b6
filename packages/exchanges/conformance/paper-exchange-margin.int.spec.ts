/** Runs the conformance suite for cross margin at the paper exchange. */
import { setupPaperExchanges } from './paper-exchange-under-test.js';
import { describeBalances } from './suite-balances.js';
import { describeMargin } from './suite-margin.js';
import { describeOrders } from './suite-orders.js';
import { describeStreams } from './suite-streams.js';
import { describeWeather } from './suite-weather.js';

const startPaperExchange = setupPaperExchanges('margin');

describeOrders('the paper exchange margin', startPaperExchange);
describeBalances('the paper exchange margin', startPaperExchange);
describeMargin('the paper exchange margin', startPaperExchange);
describeStreams('the paper exchange margin', startPaperExchange);
describeWeather('the paper exchange margin', () => startPaperExchange(3_000));
