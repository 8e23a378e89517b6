import { VenueError } from './errors.js';

/** The errors of the margin API that the spot API does not have. */
export const MARGIN_ERRORS = {
  borrowTooLarge: () => new VenueError(-3006, 'Your borrow amount has exceed maximum borrow amount.'),
  repayExceedsDebt: () => new VenueError(-3015, 'Repay amount exceeds borrow amount.'),
  transferTooLarge: () => new VenueError(-3020, 'Transfer out amount exceeds max amount.'),
  badAsset: () => new VenueError(-3027, 'Not a valid margin asset.'),
  balanceTooSmall: () => new VenueError(-3041, 'Balance is not enough.'),
  isolatedUnsupported: () => new VenueError(-11_001, 'Isolated margin account does not exist.'),
} as const;
