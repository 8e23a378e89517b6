import {
  BROWSER_SESSION_IDLE_MINUTES,
  type BrowserSession,
  encodeId,
  type GrantedSession,
} from '@trading-automation/contracts';
import { CREDENTIAL_PREFIXES } from '../operations/index.js';
import type { BrowserSessionEntity } from './browser-session.entity.js';

export function browserSessionView(session: BrowserSessionEntity): BrowserSession {
  const idleAtMs = session.lastUsedAt.getTime() + BROWSER_SESSION_IDLE_MINUTES * 60_000;
  return {
    id: encodeId('pbk', session.id),
    user_id: encodeId('usr', session.userId),
    client_name: session.clientName,
    address: session.address,
    permissions: session.permissions,
    approved_by: {
      kind: session.approverKind,
      id: encodeId(CREDENTIAL_PREFIXES[session.approverKind], session.approverId),
    },
    approved_at: session.approvedAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    idle_at: new Date(Math.min(idleAtMs, session.expiresAt.getTime())).toISOString(),
    expires_at: session.expiresAt.toISOString(),
    created_at: session.createdAt.toISOString(),
  };
}

export function grantedSessionView(session: BrowserSessionEntity): GrantedSession {
  return {
    public_key_id: encodeId('pbk', session.id),
    user_id: encodeId('usr', session.userId),
    permissions: session.permissions,
    expires_at: session.expiresAt.toISOString(),
  };
}
