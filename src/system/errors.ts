// Every error that reaches a person: a code, what is wrong, what to do. Only this file knows exit codes and HTTP
// statuses.

export const errorCodes = {
  BAD_INPUT: { exit: 2, status: 400 },
  BAD_METHOD: { exit: 2, status: 405 },
  BAD_TYPE: { exit: 2, status: 415 },
  TOO_LARGE: { exit: 2, status: 413 },
  NOT_FOUND: { exit: 3, status: 404 },
  AMBIGUOUS: { exit: 3, status: 409 },
  UNREADABLE: { exit: 4, status: 422 },
  CONFLICT: { exit: 5, status: 409 },
  STORE_NEWER: { exit: 6, status: 503 },
  STORE_DAMAGED: { exit: 6, status: 503 },
  STORE_BUSY: { exit: 6, status: 503 },
  DISK_FULL: { exit: 7, status: 507 },
  NO_TOKEN: { exit: 8, status: 401 },
  NO_PERMISSION: { exit: 8, status: 403 },
  UNREACHABLE: { exit: 9, status: 502 },
  MODEL_FAILED: { exit: 10, status: 502 },
  INTERNAL: { exit: 70, status: 500 },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export class HoldfastError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HoldfastError';
    this.code = code;
    this.hint = options.hint;
  }

  get exitCode(): number {
    return errorCodes[this.code].exit;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** The `code` of a Node or SQLite error (`ENOENT`, `SQLITE_FULL`), if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Turns an error of the operating system or SQLite into something a person can act on. Contract: never throws. */
export function explain(error: unknown, subject: string): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const code = systemCode(error) ?? '';
  const because = (kind: ErrorCode, message: string, hint?: string) =>
    new HoldfastError(kind, message, hint === undefined ? { cause: error } : { hint, cause: error });
  if (code === 'ENOENT') return because('NOT_FOUND', `${subject} does not exist`, 'Check the path.');
  if (code === 'EISDIR') return because('UNREADABLE', `${subject} is a folder, not a file`, 'Name a file.');
  if (code === 'ENOTDIR')
    return because('UNREADABLE', `${subject}: a part of this path is a file, not a folder`, 'Check the path.');
  if (code === 'EEXIST')
    return because('CONFLICT', `${subject} is in the way`, 'Choose another name, or move it away.');
  // The system's own message would repeat the whole path, and reveal our folder.
  if (code === 'ENAMETOOLONG')
    return because('BAD_INPUT', `${subject}: a name or a path is too long`, 'Check what you have named.');
  if (code === 'ELOOP') return because('UNREADABLE', `${subject} is a symbolic link that leads back to itself`);
  if (code === 'EACCES' || code === 'EPERM')
    return because('NO_PERMISSION', `${subject} cannot be read: permission denied`, 'Check its owner and mode.');
  if ((code === 'ENOSPC' || code === 'EMFILE') && (error as { syscall?: unknown }).syscall === 'watch')
    return because(
      'CONFLICT',
      `${subject}: the system allows no more watched folders`,
      'Raise fs.inotify.max_user_watches and max_user_instances; until then Holdfast polls for changes.',
    );
  // A thread that cannot start says so only in its message.
  if (/^E[MN]FILE$/.test(code) || (code === 'ERR_WORKER_INIT_FAILED' && /\bE[MN]FILE\b/.test(String(error))))
    return because(
      'CONFLICT',
      `${subject}: too many files and connections are open`,
      'Close some, or allow more (ulimit -n), then try again; nothing is lost.',
    );
  if (code === 'ENOSPC' || code === 'SQLITE_FULL' || code === 'EDQUOT')
    return because(
      'DISK_FULL',
      `No space left on the disk that holds ${subject}`,
      'Free some space, then try again; nothing is lost.',
    );
  if (code === 'SQLITE_BUSY' || code === 'SQLITE_BUSY_SNAPSHOT' || code === 'SQLITE_LOCKED')
    return because('STORE_BUSY', `${subject} is locked by another process`, 'Try again in a moment.');
  if (code === 'SQLITE_READONLY' || code === 'SQLITE_CANTOPEN' || code === 'EROFS')
    return because('NO_PERMISSION', `${subject} cannot be written`, 'Check the owner and mode of the data folder.');
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return because(
      'STORE_DAMAGED',
      `${subject} is damaged or not a Holdfast database`,
      'Repair it: holdfast recover. Or replace it with a backup: holdfast restore <file>.',
    );
  if (code.startsWith('SQLITE_IOERR'))
    return because(
      'DISK_FULL',
      `Reading or writing ${subject} failed (${code})`,
      'Check free space and the disk, then try again.',
    );
  const message = error instanceof Error ? error.message : String(error);
  return because(
    'INTERNAL',
    `${subject}: ${message}`,
    'This is a bug in Holdfast. Please report it with `holdfast logs`.',
  );
}

const longestMessage = 2000;

/** For a caller from outside: an error may quote what was sent, which has any length. */
export const inShort = (message: string): string =>
  message.length <= longestMessage ? message : `${message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '')}…`;
