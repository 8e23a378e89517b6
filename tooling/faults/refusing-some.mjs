/**
 * A receiver's way that keeps something waiting for its time: one event in eight is refused the first time it comes.
 *
 * @type {import('./receiver.mjs').Answer}
 */
export function refuseSome({ attempt, bodyHash }) {
  return attempt === 1 && bodyHash.charCodeAt(0) % 8 === 0 ? 500 : 204;
}
