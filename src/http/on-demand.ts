// What is made when somebody first needs it: one making for all who wait for it, and another try after one that failed.

export interface OnDemand<T> {
  /** Makes it, or waits for it, or has it. Throws what making throws. */
  get(): Promise<T>
  /** It, when somebody needed it and it could be made. */
  made(): Promise<T | undefined>
}

/** `make` runs once, unless it throws: then the next caller has it run again. */
export function onDemand<T>(make: () => Promise<T>): OnDemand<T> {
  let making: Promise<T> | undefined
  return {
    get() {
      making ??= make().catch((error: unknown) => {
        making = undefined
        throw error
      })
      return making
    },
    made: async () => making?.catch(() => undefined),
  }
}
