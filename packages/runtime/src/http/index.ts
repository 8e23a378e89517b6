/** The HTTP server of both APIs: its limits, CORS, raw requests, JSON bodies and responses. */

export { routedTarget } from '../request-target/index.js';
export { ALL_ORIGINS, type CorsOrigins, preflightHeaders } from './cors.js';
export { edgeSettings, isSecureOrigin, originSetting } from './edge-settings.js';
export { DEFAULT_RESPONSE_HEADERS } from './headers.js';
export { parseJsonBody } from './json-body.js';
export { acceptsGzip, matchesEtag } from './negotiation.js';
export {
  addressOf,
  addressReader,
  bodyRefusal,
  discardRest,
  headerOf,
  incomingOf,
  parseJsonRequest,
  targetOf,
} from './requests.js';
export {
  disconnectSignal,
  errorResponse,
  type HttpResponse,
  sendResponse,
  writeResponseHead,
} from './responses.js';
export { recordWhenSent } from './sent-requests.js';
export { createAdapter, type ServerLimits, type ServerOptions, TARGET_LENGTH_MAX } from './server.js';
