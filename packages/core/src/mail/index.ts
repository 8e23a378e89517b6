export { MailModule } from './mail.module.js';
export { type MailAllowanceRequest, takeMailAllowance } from './mail-allowance.queries.js';
export { type ClaimedMail, type MailOutcome, MailQueue } from './mail-queue.service.js';
export { type NewMail, queueMail } from './queue-mail.js';
