'use client';
import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { useEffect, useRef, useState } from 'react';
import { useMayTrade } from '../data/me';
import { currentOpener, focusContent, returnFocus } from '../ui/focus-return';
import { onDemand } from '../ui/on-demand';
import { FURTHER_PAGES, NAVIGATION, type NavigationItem } from './navigation';
import { useLeave } from './use-leave';

const StopDialog = onDemand(
  () => import('../ui/emergency-stop/stop-dialog').then((module) => module.StopDialog),
  null,
  null,
);
const PalettePairs = onDemand(
  () => import('./palette-pairs').then((module) => module.PalettePairs),
  null,
  null,
);
const KeyHelp = onDemand(() => import('./key-help').then((module) => module.KeyHelp), null, null);

const ITEM =
  'flex h-9 items-center gap-2.5 rounded-control px-2 text-sm text-muted data-[selected=true]:bg-selected data-[selected=true]:text-text data-[disabled=true]:opacity-50';
const ACTIONS = [
  { label: 'Place an order', href: '/trades/new' },
  { label: 'Connect an exchange account', href: '/exchanges/new' },
  { label: 'Create a strategy', href: '/strategies/new' },
  { label: 'Find a strategy to copy', href: '/discover' },
  { label: 'Create an API key', href: '/developers/api-keys?new=1' },
  { label: 'Create a webhook', href: '/developers/webhooks?new=1' },
  { label: 'Withdraw tokens', href: '/withdrawals/new' },
];
const ACTION_PAGES = new Set(ACTIONS.map(({ href }) => href));
const REQUEST_ID = /^(?:(?:req|rqt)_\w+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** The page of an item and its parts, except those that an action opens. */
const pagesOf = ({ href, label, shortcut, parts = [] }: NavigationItem) => [
  { href, label, shortcut },
  ...parts
    .filter((part) => !ACTION_PAGES.has(part.href) && !part.href.endsWith('/new'))
    .map((part) => ({ href: part.href, label: `${label}: ${part.label}`, shortcut: undefined })),
];

/** All pages and actions, by typing. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const router = useRouter();
  const { resolvedTheme, setTheme } = useTheme();
  const leave = useLeave();
  const mayTrade = useMayTrade();
  const [isStopping, setStopping] = useState(false);
  const [isShowingKeys, setShowingKeys] = useState(false);
  const [search, setSearch] = useState('');
  const [selected, setSelected] = useState('');
  const requestId = search.trim();
  // The first rendering, before the focus moves into the palette.
  const [opener] = useState(currentOpener);
  const hasChosen = useRef(false);
  useEffect(
    () => () => {
      if (hasChosen.current) requestAnimationFrame(focusContent);
      else returnFocus(opener);
    },
    [opener],
  );
  const run = (act: () => void) => () => {
    hasChosen.current = true;
    onClose();
    act();
  };
  const open = (href: string) => run(() => router.push(href));
  const pairs = { search, className: ITEM, onOpen: (href: string) => open(href)() };
  // These dialogs take the place of the palette, so that the focus returns to what opened the palette.
  if (isStopping) return <StopDialog onClose={onClose} />;
  if (isShowingKeys) return <KeyHelp onClose={onClose} />;
  return (
    <Command.Dialog
      open
      value={selected}
      onValueChange={setSelected}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      label="Search and commands"
      overlayClassName="fixed inset-0 z-40 bg-overlay"
      contentClassName="fixed top-[12vh] left-1/2 z-50 w-[min(560px,calc(100vw-32px))] -translate-x-1/2 rounded-dialog border bg-surface shadow-float"
    >
      <Command.Input
        value={search}
        onValueChange={setSearch}
        placeholder="Search pages, actions and pairs"
        className="-outline-offset-2 h-12 w-full rounded-t-dialog border-b bg-transparent px-4 text-base placeholder:text-muted"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:text-xs">
        <Command.Empty className="px-2 py-6 text-muted text-sm">
          No page, action or pair has this name.
        </Command.Empty>
        <PalettePairs {...pairs} isNamed onFirst={setSelected} />
        <Command.Group heading="Actions">
          {REQUEST_ID.test(requestId) && (
            <Command.Item
              value={search}
              onSelect={open(`/developers/request-log?request=${encodeURIComponent(requestId)}`)}
              className={ITEM}
            >
              Find this request in the request log
            </Command.Item>
          )}
          {ACTIONS.map(({ label, href }) => (
            <Command.Item key={href} onSelect={open(href)} className={ITEM}>
              {label}
            </Command.Item>
          ))}
          <Command.Item disabled={!mayTrade} onSelect={() => setStopping(true)} className={ITEM}>
            Emergency stop
            {!mayTrade && <span className="ml-auto text-xs">This session has no permission to trade.</span>}
          </Command.Item>
          <Command.Item
            onSelect={run(() => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark'))}
            className={ITEM}
          >
            Switch to the {resolvedTheme === 'dark' ? 'light' : 'dark'} theme
          </Command.Item>
          <Command.Item onSelect={() => setShowingKeys(true)} className={ITEM}>
            Show keyboard shortcuts
          </Command.Item>
          <Command.Item onSelect={run(() => void leave())} className={ITEM}>
            Sign out
          </Command.Item>
        </Command.Group>
        {[...NAVIGATION, { label: 'More', items: FURTHER_PAGES }].map(({ label, items }) => (
          <Command.Group key={label} heading={label}>
            {items.flatMap((item) =>
              pagesOf(item).map(({ href, label: name, shortcut }) => (
                <Command.Item key={href} value={`${label} ${name}`} onSelect={open(href)} className={ITEM}>
                  <item.icon aria-hidden className="size-4" />
                  {name}
                  {shortcut !== undefined && <kbd className="ml-auto font-sans text-2xs">g {shortcut}</kbd>}
                </Command.Item>
              )),
            )}
          </Command.Group>
        ))}
        <PalettePairs {...pairs} isNamed={false} />
      </Command.List>
    </Command.Dialog>
  );
}
