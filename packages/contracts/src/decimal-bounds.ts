import type { z } from 'zod';
import { DECIMAL_SCALE, type Decimal, type DecimalRange, decimalGiven } from './decimal.js';

/** Schema of a decimal that a caller gives and that has an upper bound, which is allowed itself. */
export function decimalUpTo(max: Decimal, range: Exclude<DecimalRange, 'any'> = 'positive') {
  return decimalGiven(range)
    .superRefine((value, context: z.RefinementCtx) => {
      if (units(value) <= units(max)) return;
      context.addIssue({ code: 'custom', message: `Must be at most ${max}.`, params: { code: 'too_big' } });
    })
    .meta({ format: 'decimal', decimalRange: range, decimalMax: max });
}

/** A canonical decimal as a whole number of its smallest parts: compared digit by digit, never as a double. */
function units(value: Decimal): bigint {
  const [whole = '0', fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(DECIMAL_SCALE, '0'));
}
