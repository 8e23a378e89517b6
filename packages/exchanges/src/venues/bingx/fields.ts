/** Fields that several answers of BingX have. */
import { z } from 'zod';
import { jsonDecimal } from '../../ccxt/parse-response.js';

/** An id, which the exchange writes as a JSON number or as a string. */
export const identifier = z.union([z.string().min(1), z.number().transform(String)]);
export const milliseconds = z.coerce.number().transform((ms) => new Date(ms));
export const side = z.enum(['BUY', 'SELL']);
/** An amount or price that the exchange may omit or leave empty. */
export const optionalDecimal = z
  .union([jsonDecimal, z.literal('').transform(() => '0')])
  .nullish()
  .transform((value) => value ?? '0');
/** A client order id; empty if the order has none. */
export const optionalId = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
/** A fee. The exchange writes what an account pays as a negative number. */
export const paidFee = jsonDecimal.transform((value) => (value.startsWith('-') ? value.slice(1) : value));
