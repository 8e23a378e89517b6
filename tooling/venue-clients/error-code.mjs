/**
 * Returns the venue's code of an error. Clients put it in different places, but all in a property or in the message.
 *
 * @param {unknown} error
 * @returns {number | string} the code; without one, the beginning of the message
 */
export function errorCodeOf(error) {
  const { code, message, body } = /** @type {{ code?: unknown, message?: unknown, body?: unknown }} */ (
    error
  );
  if (typeof code === 'number') return code;
  const [, found] = /"code":\s*(-?\d+)/.exec(`${message} ${body}`) ?? [];
  return found === undefined
    ? (String(message ?? error)
        .split('\n', 1)[0]
        ?.slice(0, 80) ?? '')
    : Number(found);
}
