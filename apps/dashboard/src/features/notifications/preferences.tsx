'use client';
import Link from 'next/link';
import { api } from '../../data/api';
import { useMe } from '../../data/me';
import { useQuery } from '../../data/query';
import { Card } from '../../ui/card';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { readPreferences } from './preferences.rules';
import { PreferencesForm } from './preferences-form';

const MAIL_NOTE = 'mail-note';

/** Which events notify, in the app and by mail. */
export function NotificationPreferences() {
  const setting = useQuery({
    queryKey: ['settings', 'notifications'],
    queryFn: ({ signal }) => api().settings.get('notifications', { signal }),
  });
  const { data: me } = useMe();
  const { data } = setting;
  const retry = () => void setting.refetch();
  return (
    <>
      {setting.isError && data !== undefined && <StaleNotice error={setting.error} onRetry={retry} />}
      <Card title="What notifies you" isFlush>
        <MailNote />
        {setting.isPending && <TableSkeleton rows={10} />}
        {setting.isError && data === undefined && <ErrorState error={setting.error} onRetry={retry} />}
        {data !== undefined && (
          // A newer value starts the form again.
          <PreferencesForm
            key={data.updated_at}
            stored={readPreferences(data.value)}
            mailRefusal={me === undefined || me.email_verified ? undefined : MAIL_NOTE}
          />
        )}
      </Card>
    </>
  );
}

function MailNote() {
  const { data: me } = useMe();
  return (
    <p id={MAIL_NOTE} className="px-4 pb-3 text-muted text-sm">
      {me === undefined || me.email_verified ? (
        'Mail goes to your verified address, at most 10 a day for each kind.'
      ) : (
        <>
          Mail is sent only to a verified address, so it cannot be chosen yet.{' '}
          <Link href="/settings" className="text-accent-text underline">
            {me.email === undefined ? 'Add your address' : 'Verify your address'}
          </Link>
          .
        </>
      )}
    </p>
  );
}
