/**
 * Finds fees without a value: fees in a third asset whose price at the time of their fill is not known yet. Results
 * exclude such a fee.
 */

/** Whether the fee of the fill with this alias has no value; the condition of the indexes `fills_unvalued_fee_*`. */
export const isFeeUnvalued = (fill: string) => `${fill}.fee_value IS NULL AND ${fill}.fee_amount <> 0
  AND ${fill}.fee_currency <> ALL (string_to_array(split_part(${fill}.symbol, ':', 1), '/'))`;

/**
 * Joins the lots of accounts that lack the value of a fee: fills `f`, and as `l` the lots that they opened or closed a
 * part of. A lot is joined once for each such fill.
 *
 * @param isOfAccount a condition on `f.exchange_account_id`, by which an index finds the few fills without a value
 */
export const lotsWithUnvaluedFee = (isOfAccount: string) => `(
    SELECT id, executed_at FROM fills f WHERE ${isOfAccount} AND ${isFeeUnvalued('f')}) f
  CROSS JOIN LATERAL (
    SELECT f.id AS lot_id UNION ALL SELECT c.lot_id FROM lot_closures c WHERE c.fill_id = f.id) changed
  JOIN lots l ON l.id = changed.lot_id`;
