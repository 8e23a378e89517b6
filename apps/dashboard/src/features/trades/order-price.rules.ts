/** The prices of an order that a list or a page shows. */
interface PricedTrade {
  readonly type: string;
  readonly price?: string | undefined;
  readonly stop_price?: string | undefined;
  readonly average_price?: string | undefined;
}

export interface OrderPrice {
  readonly name: 'Limit price' | 'Stop price';
  readonly value: string | undefined;
}

/** The prices that were given with an order of this type. A market order has none. */
export const orderPricesOf = ({ type, price, stop_price }: PricedTrade): readonly OrderPrice[] => [
  ...(type.startsWith('STOP') ? [{ name: 'Stop price', value: stop_price } as const] : []),
  ...(type.endsWith('LIMIT') ? [{ name: 'Limit price', value: price } as const] : []),
];

/** The one price of an order in a list: of its fills, or else its limit price, or else its stop price. */
export function listedPriceOf({ average_price, price, stop_price }: PricedTrade) {
  const value = average_price ?? price;
  return value === undefined
    ? { value: stop_price, isStop: stop_price !== undefined }
    : { value, isStop: false };
}
