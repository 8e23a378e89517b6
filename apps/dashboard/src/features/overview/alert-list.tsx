'use client';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { Time } from '../../ui/values';
import { alertText } from './alert-text.rules';
import type { Alert } from './alerts.rules';

export function AlertList({ alerts }: { readonly alerts: readonly Alert[] }) {
  return (
    <ul aria-label="Alerts" className="flex flex-col gap-2 lg:col-span-3">
      {alerts.map((alert) => (
        <AlertLine key={alert.key} alert={alert} />
      ))}
    </ul>
  );
}

function AlertLine({ alert }: { readonly alert: Alert }) {
  const { at, href, action, isUrgent } = alert;
  const Icon = isUrgent ? CircleAlert : TriangleAlert;
  return (
    <li
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card border px-4 py-2.5 text-sm ${
        isUrgent ? 'border-loss-line bg-loss-soft' : 'border-warn-line bg-warn-soft'
      }`}
    >
      <Icon aria-hidden className={`size-4 shrink-0 ${isUrgent ? 'text-loss' : 'text-warn'}`} />
      <span className="min-w-0 flex-1 basis-60 break-words">
        {alertText(alert)}
        {at !== undefined && (
          <span>
            {' '}
            <Time at={at} />
          </span>
        )}
      </span>
      <Link href={href} className="font-medium underline max-sm:ml-7">
        {action}
      </Link>
    </li>
  );
}
