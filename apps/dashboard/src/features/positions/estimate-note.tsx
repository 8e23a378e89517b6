/** Why an estimate of closing differs from the open result of the tables. It is the same in all dialogs that close lots. */
export const EstimateNote = () => (
  <p className="text-muted text-xs">
    The tables value lots at the last price, without the fee of closing. The estimate uses the best price of
    the book, less that fee. What the book does not hold at this price closes at a worse one.
  </p>
);
