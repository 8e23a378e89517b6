'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { DeviceAuthorization } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../../data/api';
import { useMe } from '../../../data/me';
import { includesPermission, type Permission, permissionWords } from '../../../data/permissions';
import { Button } from '../../../ui/button';
import { Detail, Details } from '../../../ui/details';
import { Checkbox } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { wordsOf } from '../../../ui/status';
import { Time } from '../../../ui/values';
import { MEANINGS } from '../permissions';
import { formatCode } from './user-code.rules';

/** Shows who asks for access, and grants all or fewer of the requested permissions. */
export function CodeReview({
  authorization,
  onClose,
}: {
  readonly authorization: DeviceAuthorization;
  /** `message` says what was decided; without it, nothing was. */
  readonly onClose: (message?: string) => void;
}) {
  const queries = useQueryClient();
  const { data: me } = useMe();
  const { user_code, client_name, address, status, created_at, expires_at } = authorization;
  const mine = me?.credential.permissions ?? [];
  const grantable = MEANINGS.filter(
    ({ value }) => authorization.permissions.includes(value) && includesPermission(mine, value),
  );
  const [refused, setRefused] = useState<ReadonlySet<Permission>>(new Set());
  const [busy, setBusy] = useState<'approve' | 'deny'>();
  const [error, setError] = useState<unknown>();
  const requested = grantable.map(({ value }) => value);
  // ADMIN includes the others, so leaving them out beside it would change nothing.
  const isAdmin = requested.includes('ADMIN') && !refused.has('ADMIN');
  const granted = isAdmin ? requested : requested.filter((value) => !refused.has(value));
  const toggle = (value: Permission) =>
    setRefused((now) => {
      const next = new Set(now);
      if (!next.delete(value)) next.add(value);
      return next;
    });
  const decide = async (choice: 'approve' | 'deny') => {
    setBusy(choice);
    setError(undefined);
    try {
      if (choice === 'approve') await api().deviceAuthorizations.approve({ user_code, permissions: granted });
      else await api().deviceAuthorizations.deny({ user_code });
      await queries.invalidateQueries({ queryKey: ['sessions'] });
      onClose(
        choice === 'approve'
          ? `${client_name} is signed in to your account with ${permissionWords(granted)}.`
          : `The sign-in of ${client_name} was refused.`,
      );
    } catch (failure) {
      setError(failure);
      setBusy(undefined);
    }
  };
  const isOpen = status === 'PENDING';
  return (
    <section aria-label="Sign-in to check" className="flex flex-col gap-4 border-t pt-2">
      <div className="grid gap-x-10 gap-y-3 lg:grid-cols-2">
        <Details>
          <Detail name="Code">
            <code className="font-medium font-mono">{formatCode(user_code)}</code>
          </Detail>
          <Detail name="Client">{client_name}</Detail>
          <Detail name="Address">
            <code className="font-mono text-xs">{address}</code>
          </Detail>
          <Detail name="Shown">
            <Time at={created_at} />
          </Detail>
          <Detail name="Valid until">
            <Time at={expires_at} isExact />
          </Detail>
        </Details>
        {isOpen ? (
          <fieldset className="flex flex-col gap-2 pt-2">
            <legend className="sr-only">Permissions to grant</legend>
            <p aria-hidden className="font-medium text-sm">
              Permissions to grant
            </p>
            {grantable.map(({ value, meaning }) => (
              <Checkbox
                key={value}
                checked={granted.includes(value)}
                disabled={isAdmin && value !== 'ADMIN'}
                onChange={() => toggle(value)}
                label={value}
                hint={meaning}
              />
            ))}
          </fieldset>
        ) : (
          <p className="text-sm">
            This code is {wordsOf(status).toLowerCase()}. Show a new one in the browser.
          </p>
        )}
      </div>
      {error !== undefined && <FormError error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onClose()} disabled={busy !== undefined}>
          {isOpen ? 'Decide later' : 'Close'}
        </Button>
        {isOpen && (
          <>
            <Button
              variant="danger-outline"
              isBusy={busy === 'deny'}
              disabled={busy === 'approve'}
              onClick={() => void decide('deny')}
            >
              Refuse
            </Button>
            <Button
              variant="primary"
              isBusy={busy === 'approve'}
              disabled={busy === 'deny' || granted.length === 0}
              onClick={() => void decide('approve')}
            >
              Approve
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
