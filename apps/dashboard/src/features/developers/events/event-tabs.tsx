import { LinkTabs } from '../../../ui/link-tabs';

const TABS = [
  { href: '/developers/events', label: 'Live' },
  { href: '/developers/events/catalogue', label: 'Catalogue' },
];

export const EventTabs = () => <LinkTabs label="Events" tabs={TABS} />;
