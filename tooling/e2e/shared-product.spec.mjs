import { offerSharedProduct, openSharedProduct } from './shared-product.mjs';

/** A product without processes, with the properties that these tests read. */
function fakeProduct() {
  const product = {
    stops: 0,
    restUrl: 'rest',
    paperExchangeUrl: 'paper',
    databaseUrl: 'database',
    redisUrl: 'redis',
    urlOf: (name) => name,
    lines: ['a line'],
    async stop() {
      product.stops += 1;
    },
  };
  return product;
}

let offered;
afterEach(() => offered?.stop());

it('the shared product starts once, on the first request, and stops when it is no longer offered', async () => {
  const product = fakeProduct();
  let starts = 0;
  offered = await offerSharedProduct(async () => {
    starts += 1;
    return product;
  });
  expect(starts).toBe(0);
  const [first] = await Promise.all([openSharedProduct(offered.url), openSharedProduct(offered.url)]);
  expect(first).toMatchObject({ restUrl: 'rest', graphqlUrl: 'graphql-api', databaseUrl: 'database' });
  expect(await first.lines()).toEqual(['a line']);
  expect(starts).toBe(1);
  await offered.stop();
  expect(product.stops).toBe(1);
});

it('openSharedProduct reports why the product did not start', async () => {
  offered = await offerSharedProduct(async () => {
    throw new Error('no database');
  });
  await expect(openSharedProduct(offered.url)).rejects.toThrow('did not start: no database');
});
