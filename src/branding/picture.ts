// What a reader of one format of pictures answers.

/** The dimensions, and the parts that are kept; or what is wrong. */
export type ReadPicture = { width: number; height: number; bytes: Uint8Array } | { wrong: string }
