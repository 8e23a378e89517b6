/** Finds the connections of one account at an exchange. Each reads the same funding payments and interest charges. */

/**
 * Selects the ids of an account and of the others that are connected to the same account at the exchange, for the same
 * trading type, also those of other users.
 *
 * @param at an instant; connections that were removed before it are left out
 */
export const connectionsOf = (account: string, at?: string) => `
  SELECT ${account} AS id
  UNION ALL
  SELECT other.id FROM exchange_accounts own
  JOIN exchange_accounts other ON other.exchange = own.exchange AND other.venue_account_id = own.venue_account_id
    AND other.trading_type = own.trading_type AND other.id <> own.id
  WHERE own.id = ${account}${at === undefined ? '' : ` AND (other.deleted_at IS NULL OR other.deleted_at >= ${at})`}`;

/** Whether another connection stored the same payment before. Only the first record of a payment is booked. */
export const isRepeatedPayment = (payment: string) => `EXISTS (
  SELECT FROM (${connectionsOf(`${payment}.exchange_account_id`)}) connection
  JOIN funding_payments first ON first.exchange_account_id = connection.id
    AND first.venue_payment_id = ${payment}.venue_payment_id AND first.trade_pair_id = ${payment}.trade_pair_id
  WHERE (first.created_at, first.id) < (${payment}.created_at, ${payment}.id))`;
