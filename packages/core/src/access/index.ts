export { type PickedEngine, pickEngine } from '@trading-automation/signed-request';
export { AccessModule, type AccessOptions } from './access.module.js';
export { type Actor, authorise } from './actor.js';
export { ApiKeysService } from './api-keys.service.js';
export { Authentication, type IncomingRequest } from './authentication.service.js';
export { assertNoCredentialInQuery } from './credential-in-query.js';
export { IdentityService, type LinkedIdentity } from './identity.service.js';
export { RedisReplayWindow } from './redis-replay-window.js';
export { lockUser } from './user-lock.service.js';
