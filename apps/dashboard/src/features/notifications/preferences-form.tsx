'use client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../data/api';
import { Button } from '../../ui/button';
import { FormError } from '../../ui/form-error';
import { notify } from '../../ui/notify';
import { ScrollRegion } from '../../ui/scroll-region';
import { DEFAULTS, KINDS, type Kind } from './kinds';
import { CHANNELS, type Channel, isNotified, type Preferences, withChoice } from './preferences.rules';

const CHANNEL_NAMES: Readonly<Record<Channel, string>> = { in_app: 'In the app', email: 'By mail' };

export interface PreferencesFormProps {
  readonly stored: Preferences;
  /** The id of the text that says why mails cannot be chosen; without it they can. */
  readonly mailRefusal: string | undefined;
}

export function PreferencesForm({ stored, mailRefusal }: PreferencesFormProps) {
  const queries = useQueryClient();
  const [preferences, setPreferences] = useState(stored);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isChanged = KINDS.some(({ type }) =>
    CHANNELS.some(
      (channel) =>
        isNotified(preferences, channel, type, DEFAULTS) !== isNotified(stored, channel, type, DEFAULTS),
    ),
  );
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await api().settings.set('notifications', preferences);
      await queries.invalidateQueries({ queryKey: ['settings'] });
      notify({ kind: 'success', message: 'The preferences are saved.' });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={save}>
      <ScrollRegion label="Preferences, table" className="overflow-x-auto border-t">
        <table className="w-full text-sm">
          <thead>
            <tr className="text-left text-muted text-xs">
              <th scope="col" className="h-9 px-4 font-medium">
                Event
              </th>
              {CHANNELS.map((channel) => (
                <th key={channel} scope="col" className="w-24 px-3 font-medium whitespace-nowrap last:pr-4">
                  {CHANNEL_NAMES[channel]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {KINDS.map((kind) => (
              <KindRow
                key={kind.type}
                kind={kind}
                preferences={preferences}
                mailRefusal={mailRefusal}
                onChange={(channel, isOn) =>
                  setPreferences((now) => withChoice(now, { channel, type: kind.type, isOn }, DEFAULTS))
                }
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <footer className="sticky bottom-14 flex flex-wrap items-center gap-3 rounded-b-card border-t bg-surface px-4 py-3 md:bottom-0">
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isChanged}>
          Save preferences
        </Button>
        {isChanged && <Button onClick={() => setPreferences(stored)}>Discard changes</Button>}
        {error !== undefined && <FormError error={error} />}
      </footer>
    </form>
  );
}

function KindRow({
  kind: { type, name, meaning },
  preferences,
  mailRefusal,
  onChange,
}: {
  readonly kind: Kind;
  readonly preferences: Preferences;
  readonly mailRefusal: string | undefined;
  readonly onChange: (channel: Channel, isOn: boolean) => void;
}) {
  const isMandatory = DEFAULTS.mandatory.includes(type);
  return (
    <tr className="border-t align-top">
      <th scope="row" className="px-4 py-2 text-left font-normal">
        <span className="font-medium">{name}</span>
        <span className="block max-w-2xl text-muted text-xs">
          {meaning}
          {isMandatory && ' Always on, because it concerns access or money.'}
        </span>
      </th>
      {CHANNELS.map((channel) => (
        <td key={channel} className="px-3 py-2 last:pr-4">
          <label className="grid size-6 place-items-center">
            <span className="sr-only">
              {name}, {CHANNEL_NAMES[channel].toLowerCase()}
            </span>
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={isNotified(preferences, channel, type, DEFAULTS)}
              disabled={isMandatory || (channel === 'email' && mailRefusal !== undefined)}
              aria-describedby={channel === 'email' ? mailRefusal : undefined}
              onChange={(event) => onChange(channel, event.target.checked)}
            />
          </label>
        </td>
      ))}
    </tr>
  );
}
