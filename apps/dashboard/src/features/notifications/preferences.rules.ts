/** Which events notify, by which channel. Only deviations from the defaults are stored. */

export const CHANNELS = ['in_app', 'email'] as const;
export type Channel = (typeof CHANNELS)[number];
type Choices = Readonly<Record<string, boolean>>;
export type Preferences = { readonly [channel in Channel]?: Choices };

export interface NotificationDefaults {
  /** Events that notify by both channels, whatever is chosen. */
  readonly mandatory: readonly string[];
  readonly mailed: readonly string[];
}

/** The most specific key applies: the type, then its subject, then all. */
function chosenFor(choices: Choices | undefined, type: string): boolean | undefined {
  return choices?.[type] ?? choices?.[`${type.slice(0, type.indexOf('.'))}.*`] ?? choices?.['*'];
}

/** Returns whether an event notifies by a channel. */
export function isNotified(
  preferences: Preferences,
  channel: Channel,
  type: string,
  { mandatory, mailed }: NotificationDefaults,
): boolean {
  if (mandatory.includes(type)) return true;
  return chosenFor(preferences[channel], type) ?? (channel === 'in_app' || mailed.includes(type));
}

/** Returns the preferences with one choice changed. A choice that applies anyway is not stored. */
export function withChoice(
  preferences: Preferences,
  choice: { readonly channel: Channel; readonly type: string; readonly isOn: boolean },
  defaults: NotificationDefaults,
): Preferences {
  const { channel, type, isOn } = choice;
  const { [type]: _, ...others } = preferences[channel] ?? {};
  const without = { ...preferences, [channel]: others };
  if (isNotified(without, channel, type, defaults) === isOn) return without;
  return { ...preferences, [channel]: { ...others, [type]: isOn } };
}

/** Reads the value of the setting, which may be of an earlier release. */
export function readPreferences(value: unknown): Preferences {
  const { in_app, email } = Object(value) as Record<string, unknown>;
  return { in_app: choicesIn(in_app), email: choicesIn(email) };
}

function choicesIn(value: unknown): Choices {
  return Object.fromEntries(
    Object.entries(Object(value)).filter(
      (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
    ),
  );
}
