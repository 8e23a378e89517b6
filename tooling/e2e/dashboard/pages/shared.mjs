/** The rows of a list. */
export const ROWS = 'tbody tr[aria-rowindex]';

/** The state of a record that does not exist, or that belongs to another account. */
export const MISSING = {
  text: 'This record does not exist.',
  next: 'It may have been deleted, or it belongs to another account.',
};
