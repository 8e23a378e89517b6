/** What the order ticket knows of the position of an account. */
export interface PositionsAnswer<P> {
  /** Undefined until the positions were loaded once. */
  readonly data: readonly P[] | undefined;
  readonly isError: boolean;
}

export type Held<P> =
  | { readonly state: 'loading' | 'unknown' }
  /** Undefined: the account has no position in the market. */
  | { readonly state: 'known'; readonly position: P | undefined };

/** The position of an account in a market. Without an answer of the API, it is not known whether there is one. */
export function heldPosition<
  P extends { readonly exchange_account_id: string; readonly trade_pair_id?: string },
>({ data, isError }: PositionsAnswer<P>, accountId: string | undefined, pairId: string): Held<P> {
  if (data === undefined) return { state: isError ? 'unknown' : 'loading' };
  const position = data.find(
    ({ exchange_account_id, trade_pair_id }) => exchange_account_id === accountId && trade_pair_id === pairId,
  );
  return { state: 'known', position };
}
