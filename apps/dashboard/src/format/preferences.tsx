'use client';
/** How this person reads numbers and times: locale, time zone and the density of tables, stored in the browser. */
import { createContext, type ReactNode, useCallback, useContext, useMemo, useSyncExternalStore } from 'react';

export interface Preferences {
  /** Undefined: that of the browser. */
  readonly locale: string | undefined;
  /** Undefined: that of the browser. */
  readonly timeZone: string | undefined;
  readonly density: 'compact' | 'comfortable';
}

const STORED = 'preferences';
const CHANGED = 'preferences-changed';
const DEFAULTS: Preferences = { locale: undefined, timeZone: undefined, density: 'comfortable' };

interface PreferencesContext extends Preferences {
  readonly change: (changes: Partial<Preferences>) => void;
}
const Context = createContext<PreferencesContext>({ ...DEFAULTS, change: () => undefined });

function subscribe(onChange: () => void): () => void {
  window.addEventListener('storage', onChange);
  window.addEventListener(CHANGED, onChange);
  return () => {
    window.removeEventListener('storage', onChange);
    window.removeEventListener(CHANGED, onChange);
  };
}

export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const stored = useSyncExternalStore(
    subscribe,
    () => window.localStorage.getItem(STORED),
    () => null,
  );
  const preferences = useMemo(() => read(stored), [stored]);
  const change = useCallback(
    (changes: Partial<Preferences>) => {
      window.localStorage.setItem(STORED, JSON.stringify({ ...preferences, ...changes }));
      window.dispatchEvent(new Event(CHANGED));
    },
    [preferences],
  );
  const value = useMemo(() => ({ ...preferences, change }), [preferences, change]);
  return <Context value={value}>{children}</Context>;
}

export const usePreferences = () => useContext(Context);

function read(stored: string | null): Preferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(stored ?? '{}') };
  } catch {
    return DEFAULTS;
  }
}
