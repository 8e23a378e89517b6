/**
 * Rejects one event in eight at its first attempt, so that some deliveries always wait for a retry.
 *
 * @type {import('./receiver.mjs').Respond}
 */
export function rejectOneInEight({ attempt, bodyHash }) {
  return attempt === 1 && bodyHash.charCodeAt(0) % 8 === 0 ? 500 : 204;
}
