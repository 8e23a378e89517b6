'use client';
/** Signing in: by code, with an API key or a key file, as the demo account, or with a new account. */
import { useEffect } from 'react';
import { readingOfBrowser } from '../../format/preferences';
import { storeReading } from '../../format/reading';
import { Badge } from '../../ui/badge';
import { BrandMark } from '../../ui/brand-mark';
import { Tab, Tabs } from '../../ui/tabs';
import { ByApiKey } from './by-api-key';
import { ByCode } from './by-code';
import { ByKeyFile } from './by-key-file';
import { DemoButton } from './demo-button';
import { NewAccount } from './new-account';

export interface SignInProps {
  readonly world: 'live' | 'test';
  readonly hasDemo: boolean;
  readonly hasRegistration: boolean;
  /** The address of the REST API, for commands. */
  readonly restUrl: string;
  readonly returnPath: string;
  /** Why the last session ended. */
  readonly reason: string | undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  IDLE: 'Your session ended after 30 minutes without input. Nothing was changed.',
  EXPIRED: 'Your session ended 12 hours after it was approved. Nothing was changed.',
  REVOKED: 'Your session was signed out.',
  ENDED: 'Your session has ended.',
};

export function SignIn({ world, hasDemo, hasRegistration, restUrl, returnPath, reason }: SignInProps) {
  const enter = () => window.location.assign(returnPath);
  useEffect(() => storeReading(readingOfBrowser()), []);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-105 flex-col justify-center px-4 py-10">
      <p className="flex items-center gap-2.5 pb-8 font-semibold text-base">
        <BrandMark />
        Trading automation
      </p>
      <div className="flex items-center justify-between pb-6">
        <h1 className="font-semibold text-2xl">Sign in</h1>
        <Badge tone={world === 'test' ? 'warn' : 'neutral'}>{world === 'test' ? 'TEST' : 'LIVE'}</Badge>
      </div>
      {reason !== undefined && (
        <p role="status" className="mb-4 rounded-card border border-warn-line bg-warn-soft px-3 py-2 text-sm">
          {Object.hasOwn(REASONS, reason) ? REASONS[reason] : REASONS.ENDED}
        </p>
      )}
      {hasDemo && <DemoButton onSignedIn={enter} />}
      <Tabs label="Ways to sign in" initial="code">
        <Tab value="code" label="By code">
          <ByCode onSignedIn={enter} />
        </Tab>
        <Tab value="key" label="API key">
          <ByApiKey onSignedIn={enter} />
        </Tab>
        <Tab value="file" label="Key file">
          <ByKeyFile onSignedIn={enter} />
        </Tab>
        {hasRegistration && (
          <Tab value="new" label="New account">
            <NewAccount restUrl={restUrl} onSignedIn={enter} />
          </Tab>
        )}
      </Tabs>
      <p className="pt-6 text-muted text-xs">
        There is no password: a key that you hold approves each browser. Your key is not stored in this
        browser. You are signed out after 30 minutes without input, and after 12 hours in any case.
      </p>
    </main>
  );
}
