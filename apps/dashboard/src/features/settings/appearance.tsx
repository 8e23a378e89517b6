'use client';
import { useTheme } from 'next-themes';
import { type ReactNode, useMemo } from 'react';
import { useIsHydrated } from '../../data/use-is-hydrated';
import { chosenReading, usePreferences } from '../../format/preferences';
import type { Reading } from '../../format/reading';
import { Card } from '../../ui/card';
import { Field, Select } from '../../ui/field';
import { Segmented } from '../../ui/segmented';
import { Example } from './example';
import { LOCALES, languageName, timeZones } from './regions';

const THEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'system', label: 'System' },
] as const;
const DENSITIES = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
] as const;

const UNKNOWN: Partial<Reading> = {};

/** How this browser shows pages, numbers and times. The choices stay in the browser. */
export function Appearance() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Choices />
      <Example />
    </div>
  );
}

function Choices() {
  const { theme, setTheme } = useTheme();
  const { density, change } = usePreferences();
  // The server knows neither what is stored in the browser nor what the browser itself prefers.
  const isHydrated = useIsHydrated();
  const { locale, timeZone } = isHydrated ? chosenReading() : UNKNOWN;
  const [locales, zones] = useMemo(() => (isHydrated ? [LOCALES, timeZones()] : [[], []]), [isHydrated]);
  return (
    <Card title="Appearance of this browser">
      <div className="flex flex-col gap-4">
        <Choice label="Theme">
          <Segmented
            label="Theme"
            value={isHydrated ? (THEMES.find(({ value }) => value === theme)?.value ?? 'system') : undefined}
            onChange={setTheme}
            options={THEMES}
          />
        </Choice>
        <Choice label="Table rows">
          <Segmented
            label="Table rows"
            value={density}
            onChange={(value) => change({ density: value })}
            options={DENSITIES}
          />
        </Choice>
        <Field label="Numbers and dates" hint="Which marks separate digits, and the order of a date.">
          <Select
            value={locale ?? ''}
            onChange={({ target }) => change({ locale: target.value === '' ? undefined : target.value })}
          >
            <option value="">As the browser{isHydrated && `: ${languageName(navigator.language)}`}</option>
            {locales.map((value) => (
              <option key={value} value={value}>
                {languageName(value)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Time zone" hint="Days of charts and reports are UTC days in every zone.">
          <Select
            value={timeZone ?? ''}
            onChange={({ target }) => change({ timeZone: target.value === '' ? undefined : target.value })}
          >
            <option value="">
              As the browser{isHydrated && `: ${Intl.DateTimeFormat().resolvedOptions().timeZone}`}
            </option>
            {zones.map((zone) => (
              <option key={zone} value={zone}>
                {zone.replaceAll('_', ' ')}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Card>
  );
}

function Choice({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <span aria-hidden className="font-medium text-sm">
        {label}
      </span>
      {children}
    </div>
  );
}
