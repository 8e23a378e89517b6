/** A time range in a request: `from` is inclusive, `to` is exclusive, and both are optional. */

import type { z } from 'zod';
import type { DetailCode } from './detail-codes.js';
import { instantInput } from './operation.js';

/**
 * Returns the schemas of `from` and `to`.
 *
 * @param comparedField a sentence that says which field of a record is compared with the range
 */
export function rangeInput(comparedField: string) {
  return {
    from: instantInput
      .optional()
      .describe(`Start of the range, inclusive. Default: no lower bound. ${comparedField}`),
    to: instantInput.optional().describe('End of the range, exclusive. Default: no upper bound.'),
  };
}

/** Adds an issue if the range is empty. */
export function rejectEmptyRange(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (from === undefined || to === undefined || Date.parse(from) < Date.parse(to)) return;
  context.addIssue({
    code: 'custom',
    path: ['to'],
    message: 'to must be later than from.',
    params: { code: 'range_is_empty' satisfies DetailCode },
  });
}
