'use client';
import type { BrowserSession } from '@trading-automation/sdk';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { api } from '../data/api';
import { permissionWords } from '../data/permissions';
import { useQuery } from '../data/query';
import { usePreferences } from '../format/preferences';
import { formatTime, type TimeStyle } from '../format/times';
import { shortId } from '../ui/copyable';
import { notify } from '../ui/notify';

const SHOWN_MS = 15_000;
const APPROVERS: Readonly<Record<string, string>> = {
  api_key: 'the API key',
  public_key: 'the public key',
  session: 'the browser session',
};

export interface SignInAnnouncementProps {
  /** The id of the session. */
  readonly id: string;
  readonly onAnnounced: () => void;
}

/** Says whose account the page shows and who approved the session. */
export function SignInAnnouncement({ id, onAnnounced }: SignInAnnouncementProps) {
  const router = useRouter();
  const style = usePreferences();
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
      message: `Signed in to the account ${shortId(session.user_id)}.`,
      description: approvalWords(session, style),
      durationMs: SHOWN_MS,
      action: { label: 'Sessions', onClick: () => router.push('/settings/sessions') },
    });
  }, [session, style, router, onAnnounced]);
  return null;
}

function approvalWords({ approved_by, approved_at, permissions }: BrowserSession, style: TimeStyle): string {
  const approver = `${APPROVERS[approved_by.kind] ?? approved_by.kind} ${shortId(approved_by.id)}`;
  return `Approved by ${approver} on ${formatTime(approved_at, style)}, with ${permissionWords(permissions)}.`;
}
