'use client';
import { api } from '../../../data/api';
import { useMe } from '../../../data/me';
import { useQuery } from '../../../data/query';
import { signInAgain } from '../../../data/session';
import { useNow } from '../../../format/clock';

const APPROVAL_MS = 15 * 60_000;

/** Returns whether the API would refuse to create a credential, because the sign-in was too long ago. */
function useIsTooOld(): boolean {
  const { data: me } = useMe();
  const nowMs = useNow();
  const isSession = me?.credential.kind === 'browser_session';
  const sessions = useQuery({
    queryKey: ['sessions', 'approval'],
    queryFn: ({ signal }) => api().browserSessions.list({ limit: 100 }, { signal }).toArray({ limit: 100 }),
    enabled: isSession,
  });
  const session = sessions.data?.find(({ id }) => id === me?.credential.id);
  return session !== undefined && nowMs - Date.parse(session.approved_at) > APPROVAL_MS;
}

/** Says before a form is filled that this session cannot create credentials any more. */
export function ApprovalNotice() {
  if (!useIsTooOld()) return null;
  return (
    <div role="status" className="rounded-card border border-warn-line bg-warn-soft px-3 py-2 text-sm">
      You signed in more than 15 minutes ago, so this session cannot create, rotate or link credentials.{' '}
      <button type="button" onClick={() => void signInAgain()} className="text-accent-text underline">
        Sign in again
      </button>
    </div>
  );
}
