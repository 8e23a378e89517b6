import type { z } from 'zod';
import { DECIMAL_SCALE, type Decimal, type DecimalRange, decimalInput } from './decimal.js';
import type { DetailCode } from './detail-codes.js';

/** Schema of an input decimal with an inclusive upper bound. */
export function decimalUpTo(max: Decimal, range: Exclude<DecimalRange, 'any'> = 'positive') {
  return decimalInput(range)
    .superRefine((value, context: z.RefinementCtx) => {
      if (units(value) <= units(max)) return;
      context.addIssue({
        code: 'custom',
        message: `Must be at most ${max}.`,
        params: { code: 'too_big' satisfies DetailCode },
      });
    })
    .meta({ format: 'decimal', decimalRange: range, decimalMax: max });
}

/** Converts a canonical decimal to a number of units of 10^-18, so that comparisons never use a double. */
function units(value: Decimal): bigint {
  const [whole = '0', fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(DECIMAL_SCALE, '0'));
}
