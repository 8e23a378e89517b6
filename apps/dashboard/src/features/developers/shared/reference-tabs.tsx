import { LinkTabs } from '../../../ui/link-tabs';

const TABS = [
  { href: '/developers/reference', label: 'REST' },
  { href: '/developers/graphql', label: 'GraphQL' },
];

export const ReferenceTabs = () => <LinkTabs label="Reference" tabs={TABS} />;
