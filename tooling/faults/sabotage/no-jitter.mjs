/** Preloaded into a service: where webhooks draw, they draw nothing, so that no wait is longer than its step. */
const { random } = Math;
Math.random = () => (new Error().stack?.includes('/core/dist/webhooks/') ? 0 : random());
