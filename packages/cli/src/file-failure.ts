/** Explains why a file or an output could not be read or written, in words instead of the system's code alone. */
import { Failure, UsageError } from './failures.js';

/** Causes that lie in the path itself, which the user chose. They count as invalid input. */
const INVALID_PATHS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'the path is a folder, not a file',
  EEXIST: 'a file with the name of the folder exists',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'the path contains a loop of symbolic links',
  ERR_INVALID_ARG_VALUE: 'the path contains an invalid character',
};

const CAUSES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  ENOENT: 'the folder does not exist',
};

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/**
 * Returns the failure of an operation on a file.
 *
 * @param action what failed, such as `Cannot write /home/ann/.config/svc/config.toml`
 * @param resolution how to fix it
 */
export function fileFailure(error: unknown, action: string, resolution: string): Failure {
  const code = codeOf(error);
  const invalidPath = INVALID_PATHS[code];
  const cause = invalidPath ?? CAUSES[code] ?? (error instanceof Error ? error.message : String(error));
  const message = `${action}: ${cause}${code === '' ? '' : ` (${code})`}.`;
  return invalidPath === undefined ? new Failure(message, resolution) : new UsageError(message, resolution);
}

/** Returns the failure of a write to stdout. The command may have taken effect before its output was lost. */
export function outputFailure(error: unknown): Failure {
  return fileFailure(
    error,
    'Cannot write the output',
    'The command may have taken effect. Check that before you run it again with another output.',
  );
}

/** Returns whether the reader closed the pipe, as in `svc trades list | head -1`. */
export function isClosedPipe(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(codeOf(error));
}
