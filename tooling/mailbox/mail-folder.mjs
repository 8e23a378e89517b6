import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, readJsonIfThere, writePrivateFile } from '../launch/files.mjs';

/**
 * The mails of a development mailbox, each in a file of its own that only its owner can read: a mail may hold a link
 * that signs somebody in.
 *
 * @typedef {{ from: string, to: string[], subject: string, text: string, messageId?: string }} ArrivedMail
 * @typedef {{ id: string, received_at: string, from: string, to: string[], subject: string, text: string }} Mail
 */

/** The instant of arrival, so that names sort as the mails came, and the mail's id. */
const fileName = /^\d{15}-([0-9a-f]{24})\.json$/;

/**
 * @param {{ folder: string, most: number, now?: () => number }} options `most` mails are kept, the newest
 */
export function openMailFolder({ folder, most, now = Date.now }) {
  makeFolder(folder, 0o700);
  /** @param {string} id */
  const filesOf = (id) => names().filter((name) => fileName.exec(name)?.[1] === id);
  const names = () =>
    readdirSync(folder)
      .filter((name) => fileName.test(name))
      .sort();
  /** @param {string} name */
  const remove = (name) => rmSync(join(folder, name), { force: true });
  let last = 0;

  return {
    /**
     * Keeps a mail. One that comes again, under the same Message-ID, takes the place of the first.
     *
     * @param {ArrivedMail} arrived
     * @returns {Mail}
     */
    add({ messageId = randomUUID(), ...mail }) {
      const id = createHash('sha256').update(messageId).digest('hex').slice(0, 24);
      // Two of one millisecond keep their order.
      last = Math.max(now(), last + 1);
      const kept = { id, received_at: new Date(last).toISOString(), ...mail };
      const former = filesOf(id);
      writePrivateFile(join(folder, `${String(last).padStart(15, '0')}-${id}.json`), JSON.stringify(kept));
      for (const name of former) remove(name);
      for (const name of names().slice(0, -most)) remove(name);
      return kept;
    },

    /** @returns {Mail[]} the newest first; what can't be read is left out */
    list() {
      return names()
        .reverse()
        .map((name) => readJsonIfThere(join(folder, name)))
        .filter((mail) => mail !== null);
    },

    /**
     * @param {string} id
     * @returns {Mail | null}
     */
    get(id) {
      const [name] = filesOf(id);
      return name === undefined ? null : readJsonIfThere(join(folder, name));
    },
  };
}

/** @typedef {ReturnType<typeof openMailFolder>} MailFolder */
