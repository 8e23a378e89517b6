'use client';
import { useQueryClient } from '@tanstack/react-query';
import { Activity, LogOut, Monitor, Moon, Settings, ShieldCheck, Sun } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { holdRequests } from '../data/api';
import { signOut } from '../data/session';
import { shortId } from '../ui/copyable';
import { MenuItem, MenuLabel, MenuRadioGroup, MenuSeparator } from '../ui/menu-items';
import { notify } from '../ui/notify';

const THEMES = [
  { value: 'light', label: 'Light', icon: <Sun aria-hidden className="size-4" /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden className="size-4" /> },
  { value: 'system', label: 'System', icon: <Monitor aria-hidden className="size-4" /> },
];

export function UserMenuItems({ userId }: { readonly userId: string }) {
  const router = useRouter();
  const queries = useQueryClient();
  const { theme, setTheme } = useTheme();
  const leave = async () => {
    holdRequests(true);
    await queries.cancelQueries();
    try {
      await signOut();
      window.location.assign('/sign-in');
    } catch (error) {
      holdRequests(false);
      void queries.invalidateQueries();
      notify({
        kind: 'error',
        message: 'You are still signed in.',
        description: String(Object(error).message),
      });
    }
  };
  return (
    <>
      <MenuLabel>
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
      <MenuSeparator />
      <MenuRadioGroup label="Theme" value={theme ?? 'system'} onChange={setTheme} options={THEMES} />
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden className="size-4" />} onSelect={() => void leave()}>
        Sign out
      </MenuItem>
    </>
  );
}
