/** Runs the conformance suite for perpetuals at the paper exchange. */
import { setupPaperExchanges } from './paper-exchange-under-test.js';
import { describeOrders } from './suite-orders.js';
import { describePerpetual } from './suite-perpetual.js';
import { describeStreams } from './suite-streams.js';
import { describeWeather } from './suite-weather.js';

const startPaperExchange = setupPaperExchanges('perpetual');

describeOrders('the paper exchange perpetual', startPaperExchange);
describePerpetual('the paper exchange perpetual', startPaperExchange);
describeStreams('the paper exchange perpetual', startPaperExchange);
describeWeather('the paper exchange perpetual', () => startPaperExchange(3_000));
