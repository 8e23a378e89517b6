import { byLimit, bySymbol, type Weight } from '../weight.js';

const KLINES = byLimit(500, [
  [99, 1],
  [499, 2],
  [1_000, 5],
  [Number.POSITIVE_INFINITY, 10],
]);

/** The weights of the futures routes, as the venue publishes them. Other routes have weight 1. */
export const FUTURES_WEIGHTS: Readonly<Record<string, Weight>> = {
  'GET /fapi/v1/depth': byLimit(500, [
    [50, 2],
    [100, 5],
    [500, 10],
    [1_000, 20],
  ]),
  'GET /fapi/v1/trades': 5,
  'GET /fapi/v1/historicalTrades': 20,
  'GET /fapi/v1/aggTrades': 20,
  'GET /fapi/v1/klines': KLINES,
  'GET /fapi/v1/markPriceKlines': KLINES,
  'GET /fapi/v1/indexPriceKlines': KLINES,
  'GET /fapi/v1/premiumIndex': bySymbol(1, 10),
  'GET /fapi/v1/ticker/24hr': bySymbol(1, 40),
  'GET /fapi/v1/ticker/price': bySymbol(1, 2),
  'GET /fapi/v2/ticker/price': bySymbol(1, 2),
  'GET /fapi/v1/ticker/bookTicker': bySymbol(2, 5),
  // A new order counts against the limits of orders only.
  'POST /fapi/v1/order': 0,
  'POST /fapi/v1/algoOrder': 0,
  'POST /fapi/v1/batchOrders': 5,
  'GET /fapi/v1/openOrders': bySymbol(1, 40),
  'GET /fapi/v1/openAlgoOrders': bySymbol(1, 40),
  'GET /fapi/v1/allOrders': 5,
  'GET /fapi/v1/allAlgoOrders': 5,
  'GET /fapi/v1/userTrades': 5,
  'GET /fapi/v1/income': 30,
  'GET /fapi/v1/forceOrders': bySymbol(20, 50),
  'GET /fapi/v2/account': 5,
  'GET /fapi/v3/account': 5,
  'GET /fapi/v2/balance': 5,
  'GET /fapi/v3/balance': 5,
  'GET /fapi/v2/positionRisk': 5,
  'GET /fapi/v3/positionRisk': 5,
  'GET /fapi/v1/accountConfig': 5,
  'GET /fapi/v1/symbolConfig': 5,
  'GET /fapi/v1/adlQuantile': 5,
  'GET /fapi/v1/commissionRate': 20,
  'GET /fapi/v1/positionSide/dual': 30,
  'GET /fapi/v1/multiAssetsMargin': 30,
};
