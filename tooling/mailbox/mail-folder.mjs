import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, readJsonIfExists, writePrivateFile } from '../launch/files.mjs';

/**
 * Stores the mails of a development mailbox, one file each. Only the owner of the process can read the files, because a
 * mail may contain a link that signs a user in.
 *
 * @typedef {{ from: string, to: string[], subject: string, text: string, messageId?: string }} ArrivedMail
 * @typedef {{ id: string, received_at: string, from: string, to: string[], subject: string, text: string }} Mail
 */

/** A file name consists of the time of arrival in Unix milliseconds, by which the names sort, and the id of the mail. */
const fileName = /^\d{15}-([0-9a-f]{24})\.json$/;

/**
 * @param {{ folder: string, limit: number, now?: () => number }} options only the newest `limit` mails are kept
 */
export function openMailFolder({ folder, limit, now = Date.now }) {
  makeFolder(folder, 0o700);
  /** @param {string} id */
  const filesOf = (id) => names().filter((name) => fileName.exec(name)?.[1] === id);
  const names = () =>
    readdirSync(folder)
      .filter((name) => fileName.test(name))
      .sort();
  /** @param {string} name */
  const remove = (name) => rmSync(join(folder, name), { force: true });
  let lastArrivalMs = 0;

  return {
    /**
     * Stores a mail. A mail with the Message-ID of a stored one replaces it.
     *
     * @param {ArrivedMail} arrived
     * @returns {Mail}
     */
    add({ messageId = randomUUID(), ...mail }) {
      const id = createHash('sha256').update(messageId).digest('hex').slice(0, 24);
      // Mails of the same millisecond keep their order.
      lastArrivalMs = Math.max(now(), lastArrivalMs + 1);
      const stored = { id, received_at: new Date(lastArrivalMs).toISOString(), ...mail };
      const former = filesOf(id);
      writePrivateFile(
        join(folder, `${String(lastArrivalMs).padStart(15, '0')}-${id}.json`),
        JSON.stringify(stored),
      );
      for (const name of former) remove(name);
      for (const name of names().slice(0, -limit)) remove(name);
      return stored;
    },

    /** @returns {Mail[]} the newest first, without files that cannot be read */
    list() {
      return names()
        .reverse()
        .map((name) => readJsonIfExists(join(folder, name)))
        .filter((mail) => mail !== null);
    },

    /**
     * @param {string} id
     * @returns {Mail | null}
     */
    get(id) {
      const [name] = filesOf(id);
      return name === undefined ? null : readJsonIfExists(join(folder, name));
    },
  };
}

/** @typedef {ReturnType<typeof openMailFolder>} MailFolder */
