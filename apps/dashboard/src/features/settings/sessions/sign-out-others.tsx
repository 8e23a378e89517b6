'use client';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, type BrowserSession } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../../data/api';
import { describeFailure } from '../../../data/failures';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';

interface Failed {
  readonly session: BrowserSession;
  readonly reason: string;
}

/** Ends a session. One that has ended already is no failure. */
async function end(session: BrowserSession): Promise<Failed | undefined> {
  try {
    await api().browserSessions.revoke(session.id);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    const { title, advice } = describeFailure(error);
    return { session, reason: `${title} ${advice}` };
  }
}

/** Ends all browser sessions but this one, one after the other. */
export function SignOutOthers({ others }: { readonly others: readonly BrowserSession[] }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const open = failed.filter(({ session }) => others.some(({ id }) => id === session.id));
  const endAll = async () => {
    const failures: Failed[] = [];
    for (const session of others) {
      const failure = await end(session);
      if (failure !== undefined) failures.push(failure);
    }
    setFailed(failures);
    void queries.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <>
      {others.length > 0 && (
        <Button variant="danger-outline" onClick={() => setAsking(true)}>
          Sign out all others
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out all other browsers?"
        action="Sign out all others"
        isDanger
        onConfirm={endAll}
      >
        {others.length === 1
          ? 'The other browser session ends immediately.'
          : `The ${others.length} other browser sessions end immediately.`}{' '}
        This browser stays signed in. API keys and public keys keep working; revoke them under Developers.
      </ConfirmDialog>
      {open.length > 0 && (
        <div
          role="alert"
          className="w-full rounded-card border border-loss-line bg-loss-soft px-3 py-2 text-sm"
        >
          <p className="font-medium">These sessions could not be ended:</p>
          <ul>
            {open.map(({ session, reason }) => (
              <li key={session.id}>
                {session.client_name} from {session.address}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
