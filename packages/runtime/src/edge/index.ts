/**
 * The part of `runtime/http` for a server that is not a Nest app: the settings of its address, and the addresses of its
 * clients. It loads neither Nest nor Fastify.
 */
export { edgeSettings, isSecureOrigin, originSetting } from '../http/edge-settings.js';
export { addressReader } from '../http/requests.js';
