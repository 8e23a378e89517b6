'use client';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useIsHydrated } from '../data/use-is-hydrated';
import { UserIdContext } from '../data/user-id';
import { onDemand } from '../ui/on-demand';
import { RecordNameContext } from '../ui/record-name';
import { MissingCodeNotice } from './missing-code-notice';
import { OfflineNotice } from './offline-notice';
import { preloadEssentials } from './preload';
import { Shortcuts } from './shortcuts';
import { SideBar } from './side-bar';
import { SignInNotice } from './sign-in-notice';
import { TopBar } from './top-bar';
import { useRecordTitle } from './use-record-title';

const BottomBar = onDemand(() => import('./bottom-bar').then((module) => module.BottomBar), null, null);

export interface ShellProps {
  readonly world: 'live' | 'test';
  readonly userId: string;
  readonly children: ReactNode;
}

/** The frame of every page of a session. */
export function Shell({ world, userId, children }: ShellProps) {
  const [isCollapsed, setCollapsed] = useState(false);
  const [record, setRecord] = useState<{ readonly name: string }>();
  // A page that is left may take its name back after the next one has shown its own.
  const showRecordName = useCallback((name: string) => {
    const own = { name };
    setRecord(own);
    return () => setRecord((shown) => (shown === own ? undefined : shown));
  }, []);
  useRecordTitle(record?.name);
  useEffect(preloadEssentials, []);
  // The page is complete before its scripts run. Until then it takes no input, which would be lost.
  return (
    <div className="flex min-h-dvh" inert={!useIsHydrated()}>
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <SideBar isCollapsed={isCollapsed} onToggle={() => setCollapsed((value) => !value)} />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar world={world} userId={userId} recordName={record?.name} />
        <OfflineNotice />
        <MissingCodeNotice />
        <main id="content" tabIndex={-1} className="page-content">
          <UserIdContext value={userId}>
            <RecordNameContext value={showRecordName}>{children}</RecordNameContext>
          </UserIdContext>
        </main>
      </div>
      <BottomBar />
      <Shortcuts />
      <SignInNotice />
    </div>
  );
}
