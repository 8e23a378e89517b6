'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Notification } from '@trading-automation/sdk';
import { Check, Info, OctagonAlert, Trash2, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { toast } from 'sonner';
import { api } from '../../data/api';
import { describeFailure } from '../../data/failures';
import { recordPath } from '../../data/record-paths';
import { IconButton } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { wordsOf } from '../../ui/status';
import { Time } from '../../ui/values';

export type NotificationRow = Notification;

const SEVERITIES = {
  INFO: { label: 'Information', icon: Info, tone: 'text-muted' },
  WARNING: { label: 'Warning', icon: TriangleAlert, tone: 'text-warn' },
  CRITICAL: { label: 'Critical', icon: OctagonAlert, tone: 'text-loss' },
} as const;

const severityOf = (value: string) => SEVERITIES[value as keyof typeof SEVERITIES] ?? SEVERITIES.INFO;

export function NotificationLine({ notification }: { readonly notification: NotificationRow }) {
  const queries = useQueryClient();
  const { id, kind, title, body, data, is_read, created_at } = notification;
  const { label, icon: Icon, tone } = severityOf(notification.severity);
  const path = recordPath(data.resource, data.id);
  const run = async (act: () => Promise<unknown>) => {
    try {
      await act();
      await queries.invalidateQueries({ queryKey: ['notifications'] });
    } catch (error) {
      toast.error(`Nothing was changed. ${describeFailure(error).advice}`);
    }
  };
  const markRead = () => void run(() => api().notifications.markRead(id));
  return (
    <li
      className={classNames(
        'flex items-start gap-3 border-t px-4 py-3 text-sm',
        !is_read && 'bg-accent-soft',
      )}
    >
      <span className={classNames('grid h-5 shrink-0 place-items-center', tone)} title={label}>
        <Icon aria-hidden className="size-4" />
        <span className="sr-only">{label}</span>
      </span>
      <div className="min-w-0 flex-1">
        <h2 className={classNames('flex flex-wrap items-center gap-x-2', !is_read && 'font-semibold')}>
          {title}
          {!is_read && <span className="font-normal text-accent-text text-xs">Unread</span>}
        </h2>
        <p className="break-words text-muted">{body}</p>
        <p className="flex flex-wrap items-center gap-x-3 pt-0.5 text-muted text-xs">
          <Time at={created_at} />
          <span>{wordsOf(kind)}</span>
          {path !== undefined && (
            <Link
              href={path}
              prefetch={false}
              onClick={() => !is_read && markRead()}
              className="inline-flex min-h-6 items-center text-accent-text underline"
            >
              Show the {wordsOf(data.resource).toLowerCase()}
            </Link>
          )}
        </p>
      </div>
      <div className="flex shrink-0">
        {!is_read && (
          <IconButton
            label={`Mark as read: ${title}`}
            icon={<Check aria-hidden className="size-4" />}
            onClick={markRead}
          />
        )}
        <IconButton
          label={`Delete: ${title}`}
          icon={<Trash2 aria-hidden className="size-4" />}
          onClick={() => void run(() => api().notifications.delete(id))}
        />
      </div>
    </li>
  );
}
