/** Explains why a file or an output could not be read or written, in words instead of the system's code alone. */
import { Failure } from './failures.js';

const CAUSES: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'the path is a folder, not a file',
  EEXIST: 'a file with the name of the folder exists',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'the path contains a loop of symbolic links',
  ERR_INVALID_ARG_VALUE: 'the path contains an invalid character',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  ENOENT: 'the folder above does not exist or accepts no new entries',
};

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** Returns the cause of an error of the file system, with its code, such as `permission denied (EACCES)`. */
export function causeOf(error: unknown): string {
  const code = codeOf(error);
  const cause = CAUSES[code] ?? (error instanceof Error ? error.message : String(error));
  return code === '' ? cause : `${cause} (${code})`;
}

/** Returns the failure of a write to stdout. The command may have taken effect before its output was lost. */
export function outputFailure(
  error: unknown,
  advice = 'The command may have taken effect. Check that before you run it again with another output.',
): Failure {
  return new Failure(`Cannot write the output: ${causeOf(error)}.`, advice);
}

/** Returns whether the reader closed the pipe, as in `svc trades list | head -1`. */
export function isClosedPipe(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(codeOf(error));
}
