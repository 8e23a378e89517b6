import {
  Activity,
  ArrowLeftRight,
  Bell,
  BookOpen,
  CandlestickChart,
  ChartColumn,
  Compass,
  Copy,
  Gift,
  IdCard,
  KeyRound,
  Landmark,
  Layers,
  LayoutDashboard,
  ListTree,
  type LucideIcon,
  Radio,
  ScrollText,
  Target,
  Wallet,
  Webhook,
} from 'lucide-react';

export interface NavigationItem {
  readonly href: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** The second key of "g …", which leads there. */
  readonly shortcut?: string;
  /** Pages that belong to the item, with addresses of their own. */
  readonly parts?: readonly { readonly href: string; readonly label: string }[];
}

export interface NavigationGroup {
  readonly label: string;
  readonly items: readonly NavigationItem[];
}

export const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: 'Trade',
    items: [
      { href: '/', label: 'Overview', icon: LayoutDashboard, shortcut: 'o' },
      {
        href: '/trades',
        label: 'Trades',
        icon: ArrowLeftRight,
        shortcut: 't',
        parts: [{ href: '/trades/new', label: 'Place order' }],
      },
      { href: '/positions', label: 'Positions', icon: Layers, shortcut: 'p' },
      { href: '/markets', label: 'Markets', icon: CandlestickChart, shortcut: 'm' },
      { href: '/analytics', label: 'Analytics', icon: ChartColumn, shortcut: 'a' },
    ],
  },
  {
    label: 'Copy',
    items: [
      { href: '/discover', label: 'Discover', icon: Compass, shortcut: 'd' },
      {
        href: '/strategies',
        label: 'Strategies',
        icon: Target,
        shortcut: 's',
        parts: [{ href: '/strategies/new', label: 'New strategy' }],
      },
      {
        href: '/copiers',
        label: 'Copiers',
        icon: Copy,
        shortcut: 'c',
        parts: [{ href: '/copiers/new', label: 'New copier' }],
      },
    ],
  },
  {
    label: 'Account',
    items: [
      {
        href: '/exchanges',
        label: 'Exchanges',
        icon: Landmark,
        shortcut: 'e',
        parts: [{ href: '/exchanges/new', label: 'Connect exchange' }],
      },
      { href: '/rewards', label: 'Rewards', icon: Gift, shortcut: 'r' },
      {
        href: '/withdrawals',
        label: 'Withdrawals',
        icon: Wallet,
        shortcut: 'w',
        parts: [
          { href: '/withdrawals/addresses', label: 'Address book' },
          { href: '/withdrawals/new', label: 'Withdraw tokens' },
        ],
      },
      { href: '/notifications', label: 'Notifications', icon: Bell, shortcut: 'n' },
    ],
  },
  {
    label: 'Developers',
    items: [
      { href: '/developers/api-keys', label: 'API keys', icon: KeyRound, shortcut: 'k' },
      { href: '/developers/identities', label: 'Identities', icon: IdCard, shortcut: 'i' },
      {
        href: '/developers/webhooks',
        label: 'Webhooks',
        icon: Webhook,
        shortcut: 'h',
        parts: [{ href: '/developers/dead-letters', label: 'Dead letters' }],
      },
      {
        href: '/developers/events',
        label: 'Events',
        icon: Radio,
        shortcut: 'v',
        parts: [{ href: '/developers/events/catalogue', label: 'Catalogue' }],
      },
      { href: '/developers/request-log', label: 'Request log', icon: ScrollText, shortcut: 'l' },
      {
        href: '/developers/reference',
        label: 'Reference',
        icon: BookOpen,
        shortcut: 'f',
        parts: [{ href: '/developers/graphql', label: 'GraphQL' }],
      },
    ],
  },
];

/** Pages outside of the groups: the menu of the user and the command palette lead there. */
export const FURTHER_PAGES: readonly NavigationItem[] = [
  {
    href: '/settings',
    label: 'Settings',
    icon: ListTree,
    shortcut: ',',
    parts: [
      { href: '/settings/appearance', label: 'Appearance' },
      { href: '/settings/notifications', label: 'Notifications' },
      { href: '/settings/sessions', label: 'Sessions' },
      { href: '/settings/values', label: 'Stored values' },
    ],
  },
  { href: '/status', label: 'Status', icon: Activity },
];

/** The bottom bar of narrow screens; a sheet has the rest. */
export const BOTTOM_BAR = ['/', '/trades', '/positions', '/copiers'] as const;

const ITEMS = [...NAVIGATION.flatMap(({ items }) => items), ...FURTHER_PAGES];

/** Returns the item whose page, or a part of whose page, a path is. */
export function itemOfPath(path: string): NavigationItem | undefined {
  return ITEMS.filter((item) => isPageOf(path, item)).sort((a, b) => b.href.length - a.href.length)[0];
}

/** Returns whether a path is the page of an item, or belongs to it. */
export function isPageOf(path: string, { href, parts = [] }: NavigationItem): boolean {
  return isPartOf(path, href) || parts.some((part) => isPartOf(path, part.href));
}

/** Returns the name of the page inside of an item; undefined for the page of the item itself. */
export function partOfPath(path: string, { href, parts = [] }: NavigationItem): string | undefined {
  if (path === href) return undefined;
  return parts.find((part) => path === part.href)?.label ?? 'Details';
}

export function isPartOf(path: string, href: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
}

export const groupOfItem = (item: NavigationItem | undefined) =>
  NAVIGATION.find(({ items }) => items.some(({ href }) => href === item?.href))?.label;
