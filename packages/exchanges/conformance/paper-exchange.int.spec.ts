/** Runs the conformance suite for spot at the paper exchange. */
import { setupPaperExchanges } from './paper-exchange-under-test.js';
import { describeBalances } from './suite-balances.js';
import { describeOrders } from './suite-orders.js';
import { describeStreams } from './suite-streams.js';
import { describeWeather } from './suite-weather.js';

const startPaperExchange = setupPaperExchanges('spot');

describeOrders('the paper exchange', startPaperExchange);
describeBalances('the paper exchange', startPaperExchange);
describeStreams('the paper exchange', startPaperExchange);
describeWeather('the paper exchange', () => startPaperExchange(3_000));
