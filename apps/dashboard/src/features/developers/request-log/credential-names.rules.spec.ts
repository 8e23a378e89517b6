import { credentialOptions } from './credential-names.rules';

it('adds the end of the id to a name that several credentials have', () => {
  const options = credentialOptions([
    { id: 'key_0000011111', name: 'Bot' },
    { id: 'key_0000022222', name: 'Bot' },
    { id: 'pbk_0000033333', name: 'Laptop' },
  ]);
  expect(options.map(({ label }) => label)).toEqual(['Bot (…11111)', 'Bot (…22222)', 'Laptop']);
});
