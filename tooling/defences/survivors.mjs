/**
 * The defences that no test holds, each with the reason, by `area: name`. `npm run defences` fails if one of them does not
 * survive its removal any more.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const SURVIVORS = {
  'exactly once: a copier decides once on a signal':
    'The lock of the strategy and the unique key of decisions also prevent a second decision.',
  'leases of workers: orders of other accounts are not sent':
    'A worker claims only orders of accounts that it owns, and its ownership is locked in the same transaction.',
};
