import { LinkTabs } from '../../../ui/link-tabs';

const TABS = [
  { href: '/developers/webhooks', label: 'Webhooks' },
  { href: '/developers/dead-letters', label: 'Dead letters', isPrefix: true },
];

export const WebhookTabs = () => <LinkTabs label="Webhooks" tabs={TABS} />;
