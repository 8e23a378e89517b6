'use client';
import { Dialog } from '../ui/dialog';
import { FURTHER_PAGES, NAVIGATION } from './navigation';

const GENERAL = [
  ['Ctrl K', 'Search and commands'],
  ['/', 'Search in the list, or all pages'],
  ['?', 'This list'],
  ['Esc', 'Close a dialog or drawer'],
  ['Tab, Enter', 'Move and open'],
] as const;

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const pages = [...NAVIGATION.flatMap(({ items }) => items), ...FURTHER_PAGES];
  const keys = [
    ...GENERAL,
    ...pages.flatMap(({ shortcut, label }) =>
      shortcut === undefined ? [] : [[`g ${shortcut}`, label] as const],
    ),
  ];
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 text-sm">
        {keys.map(([key, meaning]) => (
          <div key={key} className="flex items-center justify-between gap-3 py-1">
            <dt className="text-muted">{meaning}</dt>
            <dd>
              <kbd className="rounded border px-1.5 py-0.5 font-sans text-xs">{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
