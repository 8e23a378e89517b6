import type { NewMail } from '../mail/index.js';

/** Returns the mail to the address that was replaced, so that its owner learns of a change that a thief made. */
export function emailChangedMail(userId: string, formerEmail: string): NewMail {
  return {
    userId,
    to: formerEmail,
    subject: 'Your e-mail address was changed',
    text: [
      'The e-mail address of your account was changed. Mail goes to the new address from now on.',
      '',
      'If you did not change it, revoke your API keys and public keys now: the person who changed it can confirm withdrawal addresses.',
      '',
    ].join('\n'),
  };
}
