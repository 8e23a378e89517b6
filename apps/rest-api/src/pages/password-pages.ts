import {
  PASSWORD_RESET_PATH,
  REGISTRATION_PATH,
  type SignInLinksService,
} from '@trading-automation/core/sign-in';
import { form, heading, paragraph, passwordField } from './html.js';
import type { LinkPage } from './link-pages.js';

/** The page behind the link of a registration, which opens the account. */
export function registrationPage(links: Pick<SignInLinksService, 'registration' | 'openAccount'>): LinkPage {
  return {
    path: REGISTRATION_PATH,
    title: 'Registration',
    show: async (code) => {
      const { email } = await links.registration(code);
      return [
        heading('Open your account'),
        paragraph(email),
        paragraph('If you did not register, close this page: no account is opened.'),
        form(REGISTRATION_PATH, code, 'Open the account', [
          passwordField('The password that you chose', 'current-password'),
        ]),
      ];
    },
    submit: async ({ code, password }) => {
      const { email } = await links.openAccount(code, password);
      return [
        heading('Your account is open'),
        paragraph(email),
        paragraph('Sign in with your e-mail address and your password.'),
      ];
    },
  };
}

/** The page behind the link that resets a password. */
export function passwordResetPage(
  links: Pick<SignInLinksService, 'passwordReset' | 'resetPassword'>,
): LinkPage {
  return {
    path: PASSWORD_RESET_PATH,
    title: 'Password',
    show: async (code) => {
      const { email } = await links.passwordReset(code);
      return [
        heading('Set a new password'),
        paragraph(email),
        paragraph('All sessions of the account end.'),
        form(PASSWORD_RESET_PATH, code, 'Set the password', [
          passwordField('New password, 10 to 128 characters', 'new-password'),
        ]),
      ];
    },
    submit: async ({ code, password }) => {
      const { email } = await links.resetPassword(code, password);
      return [heading('The password is set'), paragraph(email), paragraph('Sign in with your new password.')];
    },
  };
}
