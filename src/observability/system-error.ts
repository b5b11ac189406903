// What the system refuses, in words that say what to do: its own messages name a call and a code.

const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission is denied to this user',
  EPERM: 'permission is denied to this user',
  EROFS: 'the disk is mounted read-only; choose a folder that can be written',
  ENOTDIR: 'a part of this path is a file, where a folder is needed',
  EISDIR: 'this is a folder, where a file is needed',
  EEXIST: 'this exists already',
  ENOTEMPTY: 'the folder is not empty',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EIO: 'the disk failed',
  ELOOP: 'the symbolic links of this path lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'this process has too many files open (ulimit -n)',
  ENFILE: 'the system has too many files open',
  ETXTBSY: 'this file is running',
  EBUSY: 'this is in use',
}

/** The message for an error of the file system: path, meaning and code. Undefined for any other. */
export function systemErrorText(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error) || !('syscall' in error)) return undefined
  const { code, path, syscall } = error
  // Node says the same of a folder whose parent is missing and of one whose parent is mounted read-only.
  const isUnmade = code === 'ENOENT' && syscall === 'mkdir'
  const meaning = isUnmade ? 'it cannot be made here; is its parent there, and writable?' : meanings[String(code)]
  return meaning === undefined || typeof path !== 'string' ? undefined : `${path}: ${meaning} (${code}, ${syscall})`
}
