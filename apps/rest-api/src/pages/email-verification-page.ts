import { EMAIL_VERIFICATION_PATH, type EmailVerificationService } from '@trading-automation/core/access';
import { form, heading, paragraph } from './html.js';
import type { LinkPage } from './link-pages.js';

/** The page behind the link that verifies an e-mail address. Verifying it again shows the same page. */
export function emailVerificationPage(emails: Pick<EmailVerificationService, 'byCode' | 'verify'>): LinkPage {
  return {
    path: EMAIL_VERIFICATION_PATH,
    title: 'E-mail address',
    show: async (code) => {
      const { email } = await emails.byCode(code);
      return [
        heading('Verify an e-mail address'),
        paragraph(email),
        paragraph('If you did not add this address to an account, close this page.'),
        form(EMAIL_VERIFICATION_PATH, code, 'This address is mine'),
      ];
    },
    submit: async ({ code }) => {
      const { email } = await emails.byCode(code);
      await emails.verify(code);
      return [heading('The e-mail address is verified'), paragraph(email)];
    },
  };
}
