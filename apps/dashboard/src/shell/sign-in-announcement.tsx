'use client';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { api } from '../data/api';
import { useMe } from '../data/me';
import { useQuery } from '../data/query';
import { notify } from '../ui/notify';

const SHOWN_MS = 15_000;
const APPROVERS: Readonly<Record<string, string>> = {
  api_key: 'the API key',
  public_key: 'the public key',
  session: 'the browser session',
};

/** The end of an id, in which ids differ. All of it is on the page of the sessions. */
const endOf = (id: string) => `…${id.slice(-5)}`;

export interface SignInAnnouncementProps {
  /** The id of the session. */
  readonly id: string;
  readonly onAnnounced: () => void;
}

/** Says whose account the page shows and who approved the session. */
export function SignInAnnouncement({ id, onAnnounced }: SignInAnnouncementProps) {
  const router = useRouter();
  const { data: me } = useMe();
  const { data: session } = useQuery({
    queryKey: ['sessions', 'announced', id],
    queryFn: async ({ signal }) => {
      const sessions = await api().browserSessions.list({ limit: 100 }, { signal }).toArray({ limit: 200 });
      return sessions.find((entry) => entry.id === id) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (!session) return;
    onAnnounced();
    notify({
      message: `Signed in as ${me?.email ?? `user ${endOf(session.user_id)}`}.`,
      description: `Approved by ${APPROVERS[session.approved_by.kind] ?? session.approved_by.kind} ${endOf(session.approved_by.id)}.`,
      durationMs: SHOWN_MS,
      action: { label: 'Sessions', onClick: () => router.push('/settings/sessions') },
    });
  }, [session, me, router, onAnnounced]);
  return null;
}
