// The master keys of an instance: the first is the newest, and makes what is new.

/** Throws Error when there is none, which the configuration refuses before. */
export function newestKey(masterKeys: readonly Uint8Array[]): Uint8Array {
  const [first] = masterKeys
  if (first === undefined) throw new Error('there is no master key')
  return first
}
