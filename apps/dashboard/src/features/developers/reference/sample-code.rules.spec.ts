import { sampleWith } from './sample-code.rules';

const URL = 'https://api.example.com';
const OPERATION = { path: '/v1/trades/{id}' };
const CURL = 'curl "$API_URL/v1/trades/trd_1?limit=5" \\\n  -H "X-API-Key: $API_KEY"';
const FETCH = `fetch(\`\${process.env.API_URL}/v1/trades/trd_1\`, {});`;

describe('a sample', () => {
  it('has the address of the API and its examples', () => {
    expect(sampleWith(CURL, URL, OPERATION, {})).toBe(
      'curl "https://api.example.com/v1/trades/trd_1?limit=5" \\\n  -H "X-API-Key: $API_KEY"',
    );
    expect(sampleWith(FETCH, URL, OPERATION, {})).toBe(
      'fetch(`https://api.example.com/v1/trades/trd_1`, {});',
    );
  });

  it('has the typed values, escaped, instead of the examples', () => {
    const values = { id: 'a/b', symbol: 'BTC!', limit: '' };
    expect(sampleWith(CURL, URL, OPERATION, values)).toContain(`"${URL}/v1/trades/a%2Fb?symbol=BTC%21"`);
    expect(sampleWith(FETCH, URL, OPERATION, values)).toContain(`\`${URL}/v1/trades/a%2Fb?symbol=BTC%21\``);
  });
});
