import { VenueError } from './errors.js';

/** The errors of the futures API that the spot API does not have. */
export const FUTURES_ERRORS = {
  tooPrecise: () => new VenueError(-1111, 'Precision is over the maximum defined for this asset.'),
  badOrderType: () => new VenueError(-1116, 'Invalid orderType.'),
  marginInsufficient: () => new VenueError(-2019, 'Margin is insufficient.'),
  wouldTrigger: () => new VenueError(-2021, 'Order would immediately trigger.'),
  reduceOnlyRejected: () => new VenueError(-2022, 'ReduceOnly Order is rejected.'),
  maxOpenOrders: () => new VenueError(-2025, 'Reach max open order limit.'),
  maxPosition: () => new VenueError(-2027, 'Exceeded the maximum allowable position at current leverage.'),
  leverageTooSmall: () =>
    new VenueError(-2028, 'Leverage is smaller than permitted: insufficient margin balance.'),
  priceTooLow: () => new VenueError(-4001, 'Price less than 0.'),
  priceAboveMax: () => new VenueError(-4002, 'Price greater than max price.'),
  quantityTooLow: () => new VenueError(-4003, 'Quantity less than or equal to zero.'),
  quantityAboveMax: () => new VenueError(-4005, 'Quantity greater than max quantity.'),
  priceNotTick: () => new VenueError(-4014, 'Price not increased by tick size.'),
  badClientOrderId: () => new VenueError(-4015, 'Client order id is not valid.'),
  priceAbovePercent: (limit: string) => new VenueError(-4016, `Limit price can't be higher than ${limit}.`),
  quantityNotStep: () => new VenueError(-4023, 'Qty not increased by step size.'),
  priceBelowPercent: (limit: string) => new VenueError(-4024, `Limit price can't be lower than ${limit}.`),
  badLeverage: (leverage: number) => new VenueError(-4028, `Leverage ${leverage} is not valid`),
  maxAlgoOrders: () => new VenueError(-4045, 'Reach max stop order limit.'),
  sameMarginType: () => new VenueError(-4046, 'No need to change margin type.'),
  marginTypeWithOrders: () =>
    new VenueError(-4047, 'Margin type cannot be changed if there exists open orders.'),
  marginTypeWithPosition: () =>
    new VenueError(-4048, 'Margin type cannot be changed if there exists position.'),
  marginNotIsolated: () => new VenueError(-4049, 'Add margin only support for isolated position.'),
  crossTooSmall: () => new VenueError(-4050, 'Cross balance insufficient.'),
  isolatedTooSmall: () => new VenueError(-4051, 'Isolated balance insufficient.'),
  marginWithoutPosition: () => new VenueError(-4054, 'Cannot add position margin: position is 0.'),
  amountNotPositive: () => new VenueError(-4055, 'Amount must be positive.'),
  samePositionMode: () => new VenueError(-4059, 'No need to change position side.'),
  badPositionSide: () => new VenueError(-4060, 'Invalid position side.'),
  positionSideMismatch: () => new VenueError(-4061, "Order's position side does not match user's setting."),
  positionModeWithOrders: () =>
    new VenueError(-4067, 'Position side cannot be changed if there exists open orders.'),
  positionModeWithPosition: () =>
    new VenueError(-4068, 'Position side cannot be changed if there exists position.'),
  duplicateClientOrderId: () => new VenueError(-4116, 'ClientOrderId is duplicated.'),
  algoEndpointRequired: () =>
    new VenueError(
      -4120,
      'Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.',
    ),
  closePositionExists: () =>
    new VenueError(
      -4130,
      'An open stop or take profit order with GTE and closePosition in the direction is existing.',
    ),
  closePositionQuantity: () =>
    new VenueError(-4136, 'Quantity and reduceOnly cannot be sent with closePosition.'),
  symbolClosed: () => new VenueError(-4141, 'Symbol is closed.'),
  isolatedLeverage: () =>
    new VenueError(-4161, 'Leverage reduction is not supported in Isolated Margin Mode with open positions.'),
  minNotional: (notional: string) =>
    new VenueError(
      -4164,
      `Order's notional must be no smaller than ${notional} (unless you choose reduce only).`,
    ),
  fokRejected: () =>
    new VenueError(
      -5021,
      'Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history.',
    ),
  gtxRejected: () =>
    new VenueError(
      -5022,
      'Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history.',
    ),
  limitOnly: () => new VenueError(-5025, 'Only limit order is supported.'),
  sameOrder: () => new VenueError(-5027, 'No need to modify the order.'),
} as const;
