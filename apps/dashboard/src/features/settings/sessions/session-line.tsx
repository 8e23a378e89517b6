'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { BrowserSession } from '@trading-automation/sdk';
import { type ReactNode, useState } from 'react';
import { api } from '../../../data/api';
import { permissionWords } from '../../../data/permissions';
import { signOut } from '../../../data/session';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Copyable } from '../../../ui/copyable';
import { Time } from '../../../ui/values';
import { credentialWords } from '../permissions';

export function SessionLine({
  session,
  isCurrent,
}: {
  readonly session: BrowserSession;
  readonly isCurrent: boolean;
}) {
  const { client_name, address, permissions, approved_by, approved_at } = session;
  return (
    <li className="flex flex-col gap-3 border-t px-4 py-3 text-sm">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-2 font-medium">
            {client_name}
            {isCurrent && <Badge tone="accent">This browser</Badge>}
          </h3>
          <p className="text-muted">
            From {address}, with {permissionWords(permissions)}
          </p>
        </div>
        <EndSession session={session} isCurrent={isCurrent} />
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 lg:grid-cols-5">
        <Fact name="Approved by">
          {credentialWords(approved_by.kind)} <Copyable text={approved_by.id} isShort label="its id" />
        </Fact>
        <Fact name="Approved">
          <Time at={approved_at} isExact />
        </Fact>
        <Fact name="Last used">
          <Time at={session.last_used_at} />
        </Fact>
        <Fact name="Ends without use">
          <Time at={session.idle_at} />
        </Fact>
        <Fact name="Ends in any case">
          <Time at={session.expires_at} isExact />
        </Fact>
      </dl>
    </li>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function EndSession({
  session,
  isCurrent,
}: {
  readonly session: BrowserSession;
  readonly isCurrent: boolean;
}) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const end = async () => {
    if (isCurrent) {
      await signOut();
      queries.clear();
      window.location.assign('/sign-in');
      return;
    }
    await api().browserSessions.revoke(session.id);
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  };
  const action = isCurrent ? 'Sign out' : 'End session';
  return (
    <>
      <Button variant="danger-outline" onClick={() => setAsking(true)}>
        {action}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={isCurrent ? 'Sign out of this browser?' : 'End this session?'}
        action={action}
        isDanger
        onConfirm={end}
      >
        {session.client_name} from {session.address} loses its access immediately. Orders, strategies and
        copiers keep running.
      </ConfirmDialog>
    </>
  );
}
