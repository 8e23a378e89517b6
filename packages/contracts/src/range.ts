/** A stretch of time that a caller asks for: `from` is in it, `to` is not; either may be left open. */
import type { z } from 'zod';
import { instantGiven } from './operation.js';

/** The members `from` and `to`. @param by what of a record is held against them, in a few words */
export function rangeGiven(by: string) {
  return {
    from: instantGiven.optional().describe(`First instant of the range; all there is unless given. ${by}`),
    to: instantGiven.optional().describe('End of the range, itself not in it.'),
  };
}

/** Refuses a range that no instant lies in. */
export function refuseEmptyRange(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (from === undefined || to === undefined || Date.parse(from) < Date.parse(to)) return;
  context.addIssue({
    code: 'custom',
    path: ['to'],
    message: 'to must be later than from.',
    params: { code: 'range_is_empty' },
  });
}
