import { formatReading, parseReading, readingOf } from './reading';

const reading = { locale: 'de-DE', timeZone: 'Europe/Berlin', density: 'compact' } as const;
const headersWith = (headers: Record<string, string>) => new Headers(headers);

describe('the reading of a request', () => {
  it('is that of its cookie', () => {
    const cookie = `session=x; reading=${encodeURIComponent(formatReading(reading))}`;
    expect(readingOf(headersWith({ cookie, 'accept-language': 'fr' }))).toEqual(reading);
  });

  it.each([
    ['fr-CA,fr;q=0.9', 'fr-CA'],
    ['*', 'en-US'],
    ['', 'en-US'],
  ])('is without a cookie the first language of %j, in UTC', (accepted, locale) => {
    expect(readingOf(headersWith({ 'accept-language': accepted }))).toEqual({
      locale,
      timeZone: 'UTC',
      density: 'comfortable',
    });
  });

  it.each([
    '%',
    'null',
    '["de-DE"]',
    '["de-DE","Europe/Nowhere","compact"]',
    '["_","UTC","compact"]',
    '["de-DE","UTC","<script>"]',
    '[1,2,"compact"]',
    '[null,null,"compact"]',
  ])('ignores the invalid cookie %j', (value) => {
    expect(parseReading(value)).toBeUndefined();
    expect(readingOf(headersWith({ cookie: `reading=${value}` }))).toMatchObject({ timeZone: 'UTC' });
  });
});
