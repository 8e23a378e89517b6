import type { NewMail } from '../mail/index.js';
import { PASSWORD_RESET_HOURS, REGISTRATION_HOURS } from './sign-in-links.queries.js';

/** The paths of the pages that open an account and reset a password. The link has the query parameter `code`. */
export const REGISTRATION_PATH = '/registration';
export const PASSWORD_RESET_PATH = '/password-reset';

/** Returns the mail whose link opens the account of a new address. */
export function registrationMail(to: string, link: string): NewMail {
  return {
    userId: null,
    to,
    subject: 'Open your account',
    text: lines(
      'Open this link and enter the password that you chose, to open your account:',
      '',
      link,
      '',
      `The link is valid for ${REGISTRATION_HOURS} hours. If you did not register, ignore this mail: no account is opened.`,
    ),
  };
}

/** Returns the mail that the owner of an account gets instead of a registration's link. */
export function alreadyRegisteredMail(userId: string, to: string): NewMail {
  return {
    userId,
    to,
    subject: 'You already have an account',
    text: lines(
      'Someone, probably you, tried to register with this address. It already belongs to your account, and nothing was changed.',
      '',
      'Sign in with your password, or reset it if you forgot it. If it was not you, ignore this mail.',
    ),
  };
}

/** Returns the mail with the link that resets a password. */
export function passwordResetMail(userId: string, to: string, link: string): NewMail {
  return {
    userId,
    to,
    subject: 'Reset your password',
    text: lines(
      'Open this link to set a new password:',
      '',
      link,
      '',
      `The link works once, for ${PASSWORD_RESET_HOURS} hour. If you did not request it, ignore this mail: your password stays as it is.`,
    ),
  };
}

/** Returns the mail to the owner of an account whose password was reset by a link. */
export function passwordWasResetMail(userId: string, to: string): NewMail {
  return {
    userId,
    to,
    subject: 'Your password was reset',
    text: lines(
      'The password of your account was reset by a link that was mailed to this address. All sessions were ended.',
      '',
      'If it was not you, secure your mailbox first, then reset the password again.',
    ),
  };
}

const lines = (...text: readonly string[]) => [...text, ''].join('\n');
