import { timeFormatter } from '../../format/formatters';
import type { TimeStyle } from '../../format/times';

/** The kinds of marks of the time axis, as the chart library numbers them: year, month, day, then times. */
const OPTIONS: readonly Intl.DateTimeFormatOptions[] = [
  { year: 'numeric' },
  { month: 'short' },
  { day: 'numeric', month: 'short' },
];
const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

/** Labels a mark of the time axis in the reader's zone. */
export function axisLabel(seconds: number, kind: number, { locale, timeZone }: TimeStyle): string {
  const options = OPTIONS[kind] ?? CLOCK;
  return timeFormatter(locale, { ...options, timeZone }).format(new Date(seconds * 1000));
}
