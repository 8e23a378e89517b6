/** Formatters of Intl. To create one takes longer than to format a hundred values, so each is created once. */

function onePerFormat<F, O>(create: (locale: string | undefined, options: O) => F) {
  const formatters = new Map<string, F>();
  return (locale: string | undefined, options: O): F => {
    const key = JSON.stringify([locale, options]);
    let formatter = formatters.get(key);
    if (formatter === undefined) {
      formatter = create(locale, options);
      formatters.set(key, formatter);
    }
    return formatter;
  };
}

export const numberFormatter = onePerFormat(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);

export const timeFormatter = onePerFormat(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);

export const relativeTimeFormatter = onePerFormat(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);
