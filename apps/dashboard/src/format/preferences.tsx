'use client';
/**
 * How this person reads numbers and times, stored in the browser. What is not chosen is as the browser has it. A page that
 * arrives has the reading that the server knows from the last page.
 */
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { formatReading, parseReading, type Reading, storeReading } from './reading';

const STORED = 'preferences';
const CHANGED = 'preferences-changed';

interface Preferences extends Reading {
  readonly change: (changes: Changes) => void;
}
/** An undefined value returns to that of the browser. */
type Changes = { readonly [Name in keyof Reading]?: Reading[Name] | undefined };

const Context = createContext<Preferences | undefined>(undefined);

function subscribe(onChange: () => void): () => void {
  window.addEventListener('storage', onChange);
  window.addEventListener(CHANGED, onChange);
  return () => {
    window.removeEventListener('storage', onChange);
    window.removeEventListener(CHANGED, onChange);
  };
}

export interface PreferencesProviderProps {
  /** The reading with which the page arrives. */
  readonly arrived: Reading;
  readonly children: ReactNode;
}

export function PreferencesProvider({ arrived, children }: PreferencesProviderProps) {
  const reading = useSyncExternalStore(subscribe, readingOfBrowser, () => formatReading(arrived));
  useEffect(() => storeReading(reading), [reading]);
  const change = useCallback((changes: Changes) => {
    window.localStorage.setItem(STORED, JSON.stringify({ ...chosenReading(), ...changes }));
    window.dispatchEvent(new Event(CHANGED));
  }, []);
  const value = useMemo(
    () => ({ ...(parseReading(reading) ?? arrived), change }),
    [reading, arrived, change],
  );
  return <Context value={value}>{children}</Context>;
}

export function usePreferences(): Preferences {
  const preferences = useContext(Context);
  if (preferences === undefined) throw new Error('usePreferences needs a PreferencesProvider');
  return preferences;
}

/** Returns what the person has chosen, in the browser only. */
export function chosenReading(): Partial<Reading> {
  try {
    return Object(JSON.parse(window.localStorage.getItem(STORED) ?? '{}'));
  } catch {
    return {};
  }
}

/** Returns the reading in this browser, as one text. */
export function readingOfBrowser(): string {
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { density = 'comfortable', ...chosen } = chosenReading();
  const reading = formatReading({
    locale: chosen.locale ?? locale,
    timeZone: chosen.timeZone ?? timeZone,
    density,
  });
  // The storage may have been edited.
  return parseReading(reading) === undefined
    ? formatReading({ locale, timeZone, density: 'comfortable' })
    : reading;
}
