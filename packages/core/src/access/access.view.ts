import { type ApiKey, encodeId, type Me, type PublicKey, type World } from '@trading-automation/contracts';
import { type Actor, credentialId } from '../operations/index.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import type { PublicKeyEntity } from './public-key.entity.js';
import type { UserEntity } from './user.entity.js';

export function apiKeyView(key: ApiKeyEntity): ApiKey {
  return {
    id: encodeId('key', key.id),
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    permissions: key.permissions,
    ip_allowlist: key.ipAllowlist,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

export function publicKeyView(key: PublicKeyEntity): PublicKey {
  return {
    id: encodeId('pbk', key.id),
    user_id: encodeId('usr', key.userId),
    pubkey: key.pubkey,
    label: key.label ?? undefined,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString(),
    revoked_at: key.revokedAt?.toISOString(),
  };
}

export function meView(user: UserEntity, actor: Actor, world: World): Me {
  return {
    id: encodeId('usr', user.id),
    email: user.pendingEmail ?? user.email ?? undefined,
    email_verified: user.pendingEmail === null && user.emailVerifiedAt !== null,
    created_at: user.createdAt.toISOString(),
    credential: {
      kind: actor.credential.kind,
      id: credentialId(actor),
      permissions: [...actor.credential.permissions],
    },
    world,
  };
}
