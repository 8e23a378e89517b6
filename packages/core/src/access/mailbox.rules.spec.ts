import { mailboxOf } from './mailbox.rules.js';

it.each([
  ['a@example.com', 'a@example.com'],
  ['A@Example.COM', 'a@example.com'],
  ['a+1@example.com', 'a@example.com'],
  ['a+1+2@example.com', 'a@example.com'],
  ['+a@example.com', '+a@example.com'],
  ['a.b@example.com', 'a.b@example.com'],
  ['a.b+1@gmail.com', 'ab@gmail.com'],
  ['a.b@googlemail.com', 'ab@gmail.com'],
  ['a.b@notgmail.com', 'a.b@notgmail.com'],
])('the mailbox of %s is %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});
