import { LinkTabs } from '../../../ui/link-tabs';

export interface WebhookTabsProps {
  /** The number of pending dead letters, on a page that has loaded it. */
  readonly pending?: number | undefined;
}

export const WebhookTabs = ({ pending }: WebhookTabsProps) => (
  <LinkTabs
    label="Webhooks"
    tabs={[
      { href: '/developers/webhooks', label: 'Webhooks' },
      {
        href: '/developers/dead-letters',
        label: pending === undefined ? 'Dead letters' : `Dead letters (${pending} pending)`,
        isPrefix: true,
      },
    ]}
  />
);
