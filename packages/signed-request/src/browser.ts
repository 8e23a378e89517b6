/** The entry point for every runtime. noble is the only engine, and no Node module is imported. */
export {
  canonicalString,
  canonicalStringOfDigest,
  isSignableRequestLine,
  type RequestParts,
} from './canonical-string.js';
export type { EngineName, MessageSigner, VerifyEngine } from './engine.js';
export { nobleEngine } from './engines/noble.js';
export { generatePrivateKey, isValidPublicKey, publicKeyOf } from './keys.js';
export { identityMessage, signMessage, verifyMessage } from './message-signature.js';
export {
  InMemoryReplayWindow,
  NONCE_TTL_MS,
  type ReplayWindow,
  ReplayWindowFullError,
} from './replay-window.js';
export { createRequestSigner, type RequestSigner, type RequestToSign, signRequest } from './sign-request.js';
export {
  type HeaderSource,
  type PresentSignatureHeaders,
  readSignatureHeaders,
  SIGNATURE_HEADER_NAMES,
  type SignatureHeaderName,
  type SignatureHeaders,
  type SignatureHeadersReading,
} from './signature-headers.js';
export {
  type AcceptedRequest,
  CLOCK_SKEW_MAX_MS,
  type ReceivedRequest,
  type RequestVerification,
  type SignatureRefusal,
  type SignatureRefusalCode,
  type VerifierDependencies,
  verifyRequest,
} from './verify-request.js';
