'use client';
/** The keys of every page: Ctrl K or / opens the commands, ? the list of keys, "g" and a letter lead to a page. */
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { focusContent } from '../ui/focus-return';
import { onDemand } from '../ui/on-demand';
import { FURTHER_PAGES, NAVIGATION } from './navigation';

// If they are missing, the notice of the shell says so.
const CommandPalette = onDemand(
  () => import('./command-palette').then((module) => module.CommandPalette),
  null,
  null,
);
const KeyHelp = onDemand(() => import('./key-help').then((module) => module.KeyHelp), null, null);

const OPEN = 'open-keyboard-dialog';
type Dialog = 'palette' | 'help';
const SEQUENCE_MS = 1_500;
const PAGES = [...NAVIGATION.flatMap(({ items }) => items), ...FURTHER_PAGES];

const request = (detail: Dialog) => window.dispatchEvent(new CustomEvent(OPEN, { detail }));

export const openPalette = () => request('palette');
export const openKeyHelp = () => request('help');

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function Shortcuts() {
  const router = useRouter();
  const [shown, setShown] = useState<Dialog>();
  useEffect(() => {
    let goSince = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      const isCommand = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      if (isCommand) {
        event.preventDefault();
        setShown('palette');
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]') !== null) return;
      if (event.timeStamp - goSince < SEQUENCE_MS) {
        goSince = Number.NEGATIVE_INFINITY;
        const page = PAGES.find(({ shortcut }) => shortcut === event.key);
        if (page !== undefined) {
          event.preventDefault();
          router.push(page.href);
          focusContent();
          return;
        }
      }
      if (event.key === 'g') goSince = event.timeStamp;
      else if (event.key === '?') setShown('help');
      else if (event.key === '/') {
        event.preventDefault();
        const search = document.querySelector<HTMLElement>('main [type="search"]');
        if (search === null) setShown('palette');
        else search.focus();
      }
    };
    const onOpen = (event: Event) => setShown((event as CustomEvent<Dialog>).detail);
    window.addEventListener('keydown', onKey);
    window.addEventListener(OPEN, onOpen);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.removeEventListener(OPEN, onOpen);
    };
  }, [router]);
  const close = () => setShown(undefined);
  return (
    <>
      {shown === 'palette' && <CommandPalette onClose={close} />}
      {shown === 'help' && <KeyHelp onClose={close} />}
    </>
  );
}
