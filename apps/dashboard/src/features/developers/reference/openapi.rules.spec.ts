import {
  errorsOf,
  groupsOf,
  type OpenApi,
  operationOfRoute,
  operationsOf,
  recordOf,
  targetOf,
  typeText,
} from './openapi.rules';

const DOCUMENT: OpenApi = {
  info: { description: '', version: '1' },
  tags: [
    { name: 'Trades', description: 'Orders.' },
    { name: 'Keys', description: 'Credentials.' },
  ],
  paths: {
    '/v1/keys': {
      get: { operationId: 'keys.list', summary: 'Lists keys.', tags: ['Keys'], responses: {} },
    },
    '/v1/trades/{id}': {
      get: {
        operationId: 'trades.get',
        summary: 'Returns a trade.',
        tags: ['Trades'],
        responses: { 404: { $ref: '#/components/responses/missing' } },
      },
    },
  },
  components: {
    responses: { missing: { 'x-error-codes': ['not_found'] } },
    schemas: {
      Trade: { type: 'object', properties: { id: { type: 'string' } } },
      Decimal: { type: ['number', 'string'] },
    },
  },
  'x-error-codes': [
    { code: 'other', status: 400, meaning: '', resolution: '' },
    { code: 'not_found', status: 404, meaning: 'Missing.', resolution: 'Check the id.' },
  ],
};
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('the OpenAPI document', () => {
  it('groups operations in the order of the tags', () => {
    expect(groupsOf(DOCUMENT, '').map(({ name }) => name)).toEqual(['Trades', 'Keys']);
  });

  it('finds operations that contain every word', () => {
    const found = groupsOf(DOCUMENT, 'get TRADE').flatMap(({ operations }) => operations);
    expect(found.map(({ operationId }) => operationId)).toEqual(['trades.get']);
    expect(groupsOf(DOCUMENT, 'trade keys')).toEqual([]);
  });

  it('reads the errors of an operation through references', () => {
    const [, trade] = operationsOf(DOCUMENT);
    expect(trade && errorsOf(DOCUMENT, trade).map(({ code }) => code)).toEqual(['not_found']);
  });

  it('describes types', () => {
    expect(typeText(DOCUMENT, { anyOf: [ref('Decimal'), { type: 'null' }] })).toBe(
      'number or string or null',
    );
    expect(typeText(DOCUMENT, { type: 'array', items: ref('Trade') })).toBe('list of Trade');
  });

  it('finds the record of a list', () => {
    expect(recordOf(DOCUMENT, { type: 'array', items: ref('Trade') })?.properties).toHaveProperty('id');
    expect(recordOf(DOCUMENT, { type: 'string' })).toBeUndefined();
  });

  it('finds the operation of a route of the request log', () => {
    expect(operationOfRoute(DOCUMENT, 'GET', '/v1/trades/:id')?.operationId).toBe('trades.get');
    expect(operationOfRoute(DOCUMENT, 'POST', '/v1/trades/:id')).toBeUndefined();
  });

  it('fills path parameters, escaped, and waits for all of them', () => {
    expect(targetOf({ path: '/v1/trades/{id}' }, {})).toBeUndefined();
    expect(targetOf({ path: '/v1/trades/{id}' }, { id: 'a/b' })).toBe('/v1/trades/a%2Fb');
  });
});
