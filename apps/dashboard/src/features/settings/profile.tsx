'use client';
import type { Me } from '@trading-automation/sdk';
import { useMe } from '../../data/me';
import { includesPermission } from '../../data/permissions';
import { wordsOf } from '../../format/words';
import { Badge } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { Time } from '../../ui/values';
import { EmailForm } from './email-form';
import { credentialWords, MEANINGS } from './permissions';

/** The account, its e-mail address, and what this session may do. */
export function Profile() {
  const me = useMe();
  const retry = () => void me.refetch();
  if (me.data === undefined)
    return me.isError ? (
      <Card>
        <ErrorState error={me.error} onRetry={retry} />
      </Card>
    ) : (
      <div role="status" aria-label="Loading" className="grid gap-4 lg:grid-cols-2">
        <Skeleton className="h-56" />
        <Skeleton className="h-56" />
      </div>
    );
  return (
    <>
      {me.isError && <StaleNotice error={me.error} onRetry={retry} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex flex-col gap-4">
          <Account me={me.data} />
          <EmailForm me={me.data} />
        </div>
        <Credential credential={me.data.credential} />
      </div>
    </>
  );
}

function Account({ me }: { readonly me: Me }) {
  return (
    <Card title="Account">
      <Details>
        <Detail name="User">
          <Copyable text={me.id} label="the user id" />
        </Detail>
        <Detail name="Environment">
          <span className="inline-flex items-center gap-2">
            {me.world === 'test' ? 'Play money on paper exchanges' : 'Real money on real exchanges'}
            <Badge tone={me.world === 'test' ? 'warn' : 'neutral'}>{me.world.toUpperCase()}</Badge>
          </span>
        </Detail>
        <Detail name="Opened">
          <Time at={me.created_at} />
        </Detail>
      </Details>
    </Card>
  );
}

function Credential({ credential }: { readonly credential: Me['credential'] }) {
  const { kind, id, permissions } = credential;
  return (
    <Card title="This session">
      <Details>
        <Detail name="Credential">{credentialWords(kind)}</Detail>
        <Detail name="Id">
          <Copyable text={id} isShort label="the id of the credential" />
        </Detail>
      </Details>
      <h3 className="border-t pt-3 pb-1 font-medium text-sm">Permissions</h3>
      <ul className="flex flex-col gap-2 text-sm">
        {MEANINGS.map(({ value, meaning }) => (
          <li key={value} className="flex items-center justify-between gap-4">
            <span className="min-w-0">
              {wordsOf(value)}
              <span className="block text-muted text-xs">{meaning}</span>
            </span>
            {includesPermission(permissions, value) ? (
              <Badge tone="gain">Granted</Badge>
            ) : (
              <Badge>Not granted</Badge>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
