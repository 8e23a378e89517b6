/** The HTTP edge that both APIs share: the server with its limits, CORS, raw requests, JSON bodies, plain answers. */
export { ALL_ORIGINS, type CorsOrigins, preflightHeaders } from './cors.js';
export { edgeSettings, originSetting } from './edge-settings.js';
export { HEADERS_OF_EVERY_ANSWER } from './headers.js';
export { parseJsonBody } from './json-body.js';
export { errorAnswer, headAnswer, type PlainAnswer, sendAnswer } from './replies.js';
export {
  addressOf,
  addressReader,
  bodyRefusal,
  discardRest,
  headerOf,
  incomingOf,
  readJson,
  targetOf,
} from './requests.js';
export { createAdapter, type ServerLimits, type ServerOptions, TARGET_LENGTH_MAX } from './server.js';
