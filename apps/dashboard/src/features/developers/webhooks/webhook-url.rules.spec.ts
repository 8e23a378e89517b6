import { aboutUrl, urlProblem } from './webhook-url.rules';

describe('the URL of a receiver', () => {
  it('is complete and of HTTP', () => {
    expect(urlProblem(' https://example.com/hook ')).toBeUndefined();
    expect(urlProblem('http://localhost:8080')).toBeUndefined();
  });

  it('is explained if it is not', () => {
    expect(urlProblem(' ')).toBe('Enter the URL of your receiver.');
    expect(urlProblem('example.com/hook')).toContain('must be complete');
    expect(urlProblem('ftp://example.com')).toContain('must begin with https://');
  });

  it('is named by its label in messages of the API', () => {
    expect(aboutUrl('url must be an absolute URL.')).toBe('The URL must be an absolute URL.');
    expect(aboutUrl('The host is not public.')).toBe('The host is not public.');
  });
});
