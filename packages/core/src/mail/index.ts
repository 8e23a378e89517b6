export { MailModule } from './mail.module.js';
export { type MailWish, takeMailAllowance } from './mail-allowance.js';
export { type ClaimedMail, type MailOutcome, Mails } from './mails.js';
export { type NewMail, queueMail } from './queue-mail.js';
