'use client';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useIsHydrated } from '../data/use-is-hydrated';
import { UserIdContext } from '../data/user-id';
import { onDemand } from '../ui/on-demand';
import { RecordNameContext, type ShowRecordName } from '../ui/record-name';
import { MissingCodeNotice } from './missing-code-notice';
import { OfflineNotice } from './offline-notice';
import { preloadEssentials } from './preload';
import { Shortcuts } from './shortcuts';
import { SideBar } from './side-bar';
import { SignInNotice } from './sign-in-notice';
import { type ShownRecord, TopBar } from './top-bar';

const BottomBar = onDemand(() => import('./bottom-bar').then((module) => module.BottomBar), null, null);

export interface ShellProps {
  readonly world: 'live' | 'test';
  readonly userId: string;
  readonly children: ReactNode;
}

/** The frame of every page of a session. */
export function Shell({ world, userId, children }: ShellProps) {
  const [isCollapsed, setCollapsed] = useState(false);
  const [record, setRecord] = useState<ShownRecord>();
  // A page that is left may take its name back after the next one has shown its own.
  const showRecordName = useCallback<ShowRecordName>((name, menuPath) => {
    const own = { name, menuPath };
    setRecord(own);
    return () => setRecord((shown) => (shown === own ? undefined : shown));
  }, []);
  useEffect(preloadEssentials, []);
  // The page is complete before its scripts run. Until then it takes no input, which would be lost.
  return (
    <div className="flex min-h-dvh" inert={!useIsHydrated()}>
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <SideBar
        menuPath={record?.menuPath}
        isCollapsed={isCollapsed}
        onToggle={() => setCollapsed((value) => !value)}
      />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar world={world} userId={userId} record={record} />
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
