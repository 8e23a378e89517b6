import { CoreUnderTest } from '../testing/index.js';
import { mailboxOf } from './mailbox.rules.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

it.each([
  'Plain@Example.com',
  'a+b+c@example.com',
  '+x+y@example.com',
  'a.b+c@gmail.com',
  'A.B@GoogleMail.com',
  'a.b@example.com',
])('the database links users by the same mailbox that limits mails: %s', async (email) => {
  expect(await core.row('SELECT mailbox_of($1) AS mailbox', email)).toEqual({ mailbox: mailboxOf(email) });
});
