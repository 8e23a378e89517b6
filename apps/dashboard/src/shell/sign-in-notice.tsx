'use client';
import { useCallback, useState } from 'react';
import { useMe } from '../data/me';
import { LATE } from '../data/query';
import { useIsHydrated } from '../data/use-is-hydrated';
import { onDemand } from '../ui/on-demand';

const Announcement = onDemand(
  () => import('./sign-in-announcement').then((module) => module.SignInAnnouncement),
  null,
  null,
);
const STORED = 'announced-session';

/** Announces each session once, on the first page after its sign-in. */
export function SignInNotice() {
  const { data: me } = useMe(LATE);
  const isHydrated = useIsHydrated();
  const [announced, setAnnounced] = useState<string>();
  const id = me?.credential.kind === 'browser_session' ? me.credential.id : undefined;
  const onAnnounced = useCallback(() => {
    if (id === undefined) return;
    window.localStorage.setItem(STORED, id);
    setAnnounced(id);
  }, [id]);
  // Only the browser knows which session it has announced.
  if (!isHydrated || id === undefined || id === announced || window.localStorage.getItem(STORED) === id)
    return null;
  return <Announcement id={id} onAnnounced={onAnnounced} />;
}
