'use client';
import { Activity, Keyboard, LogOut, Monitor, Moon, Settings, ShieldCheck, Sun } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { useMe } from '../data/me';
import { shortId } from '../ui/copyable';
import { MenuItem, MenuLabel, MenuRadioGroup, MenuSeparator } from '../ui/menu-items';
import { openKeyHelp } from './shortcuts';
import { useLeave } from './use-leave';

const THEMES = [
  { value: 'light', label: 'Light', icon: <Sun aria-hidden className="size-4" /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden className="size-4" /> },
  { value: 'system', label: 'System', icon: <Monitor aria-hidden className="size-4" /> },
];

export function UserMenuItems({ userId }: { readonly userId: string }) {
  const router = useRouter();
  const { theme, setTheme } = useTheme();
  const leave = useLeave();
  const email = useMe().data?.email;
  return (
    <>
      <MenuLabel>
        {email !== undefined && <span className="block max-w-64 truncate text-text">{email}</span>}
        <span className="font-mono">{shortId(userId)}</span>
      </MenuLabel>
      <MenuItem icon={<Settings aria-hidden className="size-4" />} onSelect={() => router.push('/settings')}>
        Settings
      </MenuItem>
      <MenuItem
        icon={<ShieldCheck aria-hidden className="size-4" />}
        onSelect={() => router.push('/settings/sessions')}
      >
        Sessions
      </MenuItem>
      <MenuItem icon={<Activity aria-hidden className="size-4" />} onSelect={() => router.push('/status')}>
        Status
      </MenuItem>
      <MenuItem icon={<Keyboard aria-hidden className="size-4" />} onSelect={openKeyHelp}>
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuRadioGroup label="Theme" value={theme ?? 'system'} onChange={setTheme} options={THEMES} />
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden className="size-4" />} onSelect={() => void leave()}>
        Sign out
      </MenuItem>
    </>
  );
}
