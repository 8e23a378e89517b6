export { type PickedEngine, pickEngine } from '@trading-automation/signed-request';
export { AccessModule, type AccessOptions } from './access.module.js';
export { ApiKeysService } from './api-keys.service.js';
export { Authentication, type CredentialLimits, type IncomingRequest } from './authentication.service.js';
export { IS_OPEN as IS_OPEN_SESSION } from './browser-session-end.js';
export { assertNotRevoked } from './credential-guards.queries.js';
export {
  CredentialLookup,
  invalidateCredentialCache,
  notifyCredentialChange,
} from './credential-lookup.service.js';
export { CredentialWatch, type LongLivedRequest } from './credential-watch.service.js';
export { EMAIL_VERIFICATION_PATH, EmailVerificationService } from './email-verification.service.js';
export { identifyCaller } from './identify-caller.js';
export { IdentityService, type LinkedIdentity } from './identity.service.js';
export { assertIdentityProof, consumeChallenge } from './identity-proof.js';
export { LastUsedRecorder } from './last-used-recorder.service.js';
export { mailboxOf } from './mailbox.rules.js';
export { NonceEpoch } from './nonce-epoch.js';
export { openAccount } from './open-account.js';
export { readParentRights } from './parent-rights.queries.js';
export { PublicKeysService } from './public-keys.service.js';
export { LocalBuckets } from './rate-buckets.js';
export {
  addressGroup,
  type ChargedCaller,
  createRateLimitStore,
  type RateHeaders,
  RateLimiter,
  type RateLimitStore,
  RequestLimits,
} from './rate-limiter.js';
export { RATE_POLICIES, type RateLimits, rateLimitsSchema, rateLimitsSetting } from './rate-limits.js';
export { lockUser } from './user-lock.queries.js';
