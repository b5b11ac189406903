// Why a client that names itself by a URL is not taken, in words for its developer: what stands in them is public, or
// says no more of the network behind this server than that an answer did not come.

/** `reason` is a stable id for the log; `isPassing`: the same request may succeed a little later. */
export class DocumentRefused extends Error {
  readonly reason: string
  readonly isPassing: boolean

  constructor(reason: string, message: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'DocumentRefused'
    this.reason = reason
    this.isPassing = options.isPassing === true
  }
}
