/**
 * The defences that no test holds, each with the reason, by `area: name`. `npm run defences` fails if one of them does not
 * survive its removal any more.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const SURVIVORS = {};
