'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { DeviceAuthorization } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../../data/api';
import { type Permission, useMe } from '../../../data/me';
import { Button } from '../../../ui/button';
import { Detail, Details } from '../../../ui/details';
import { Checkbox, FormError } from '../../../ui/field';
import { wordsOf } from '../../../ui/status';
import { Time } from '../../../ui/values';
import { PERMISSIONS } from '../permissions';
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
  const grantable = PERMISSIONS.filter(
    ({ value }) => authorization.permissions.includes(value) && mine.includes(value),
  );
  const [refused, setRefused] = useState<ReadonlySet<Permission>>(new Set());
  const [busy, setBusy] = useState<'approve' | 'deny'>();
  const [error, setError] = useState<unknown>();
  const granted = grantable.map(({ value }) => value).filter((value) => !refused.has(value));
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
          ? `${client_name} is signed in to your account with ${granted.join(', ')}.`
          : `The sign-in of ${client_name} was refused.`,
      );
    } catch (failure) {
      setError(failure);
      setBusy(undefined);
    }
  };
  const isOpen = status === 'PENDING';
  return (
    <section aria-label="Sign-in to check" className="flex max-w-3xl flex-col gap-3 rounded-card border p-4">
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
        <fieldset className="flex flex-col gap-2 border-t pt-3">
          <legend className="sr-only">Permissions to grant</legend>
          <p aria-hidden className="font-medium text-sm">
            Permissions to grant
          </p>
          {grantable.map(({ value, meaning }) => (
            <Checkbox
              key={value}
              checked={!refused.has(value)}
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
