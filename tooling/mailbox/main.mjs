import { openMailbox } from './mailbox.mjs';

/** Runs the mailbox as a process, configured by `SMTP_PORT`, `PORT` and `MAIL_DIR`. It ends with the process that started it. */

/** @param {Record<string, unknown>} line */
const print = (line) => console.log(JSON.stringify({ level: 'info', ...line }));

/** @param {string} name */
function setting(name) {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} must be set`);
  return value;
}

const mailbox = await openMailbox({
  smtpPort: Number(setting('SMTP_PORT')),
  port: Number(setting('PORT')),
  folder: setting('MAIL_DIR'),
  onMail: ({ to, subject }) => print({ msg: 'a mail arrived', to: to.join(', '), subject }),
});
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) {
  process.once(event, async () => {
    await mailbox.close();
    process.exit(0);
  });
}
print({ msg: 'listening', url: mailbox.url });
