'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Notification } from '@trading-automation/sdk';
import { Check, Info, OctagonAlert, Trash2, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { api } from '../../data/api';
import { describeFailure } from '../../data/failures';
import { recordPath } from '../../data/record-paths';
import { IconButton } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { notify } from '../../ui/notify';
import { wordsOf } from '../../ui/status';
import { Time } from '../../ui/values';
import { bodyWords } from './body-words.rules';
import { kindName } from './kinds';

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
      notify({ kind: 'error', message: `Nothing was changed. ${describeFailure(error).advice}` });
    }
  };
  const markRead = () => void run(() => api().notifications.markRead(id));
  const name = kindName(kind) ?? wordsOf(kind);
  return (
    <li className="relative flex items-start gap-3 border-t py-2.5 pr-3 pl-5 text-sm">
      {!is_read && (
        <span className="absolute top-4 left-1.5 size-2 rounded-full bg-accent">
          <span className="sr-only">Unread</span>
        </span>
      )}
      <span className={classNames('grid h-5 shrink-0 place-items-center', tone)} title={label}>
        <Icon aria-hidden className="size-4" />
        <span className="sr-only">{label}</span>
      </span>
      <div className="grid min-w-0 flex-1 gap-x-6 lg:grid-cols-[1fr_auto]">
        <div className="min-w-0">
          <h2 className={is_read ? 'text-muted' : 'font-medium'}>
            {path === undefined ? (
              title
            ) : (
              <Link
                href={path}
                prefetch={false}
                onClick={() => !is_read && markRead()}
                className="inline-flex min-h-6 items-center hover:underline"
              >
                {title}
              </Link>
            )}
          </h2>
          <p className="break-words text-muted">{bodyWords(kind, body)}</p>
        </div>
        <p className="flex flex-wrap items-center gap-x-3 text-muted text-xs lg:flex-col lg:items-end lg:justify-center">
          <Time at={created_at} />
          {name !== title && <span>{name}</span>}
        </p>
      </div>
      <div className="flex w-16 shrink-0 justify-end self-center pointer-coarse:w-20">
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
