/** Fields that several answers of HTX have. */
import { z } from 'zod';
import { exactDecimal } from '../../ccxt/parse-response.js';

/** An id, which the exchange writes as a JSON number or as a string. */
export const identifier = z.union([z.string().min(1), z.number().transform(String)]);
export const milliseconds = z.coerce.number().transform((ms) => new Date(ms));
/** Milliseconds; zero means "not yet". */
export const optionalMilliseconds = z.coerce
  .number()
  .optional()
  .transform((ms) => (ms === undefined || ms === 0 ? undefined : new Date(ms)));
/** An amount whose zero or absence means "none". */
export const nonZeroAmount = exactDecimal
  .optional()
  .transform((value) => (value === '0' ? undefined : value));

const TYPE = /^(buy|sell)-([a-z-]+)$/;

/** The side and the kind of an order, which the exchange writes as one word: `buy-limit-maker`. */
export const orderType = z.string().regex(TYPE);

export const sideOf = (type: string): 'BUY' | 'SELL' => (type.startsWith('buy-') ? 'BUY' : 'SELL');
export const kindOf = (type: string): string => TYPE.exec(type)?.[2] ?? type;

/** Whether an order belongs to a margin account. The spot account has other sources. */
export const isOfMargin = (source: string | undefined): boolean => source?.includes('margin') === true;
