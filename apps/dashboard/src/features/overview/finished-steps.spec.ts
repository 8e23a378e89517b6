import { accountDoneWithSteps } from './finished-steps';

it.each([
  ['first-steps=usr_01abc', 'usr_01abc'],
  ['reading=x; first-steps=usr_01abc; session=y', 'usr_01abc'],
  ['first-steps=', undefined],
  ['not-first-steps=usr_01abc', undefined],
  ['', undefined],
  [null, undefined],
])('the cookies %j name the account %j', (cookies, userId) => {
  expect(accountDoneWithSteps(cookies)).toBe(userId);
});
