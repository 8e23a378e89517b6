/** Removes the jitter: in the code of webhooks, Math.random returns 0, so that no retry delay is longer than configured. */
const { random } = Math;
Math.random = () => (new Error().stack?.includes('/core/dist/webhooks/') ? 0 : random());
