// What a reader of one format of pictures answers, and how large a picture may be for it.

/** The dimensions, and the parts that are kept; or what is wrong. */
export type ReadPicture = { width: number; height: number; bytes: Uint8Array } | { wrong: string }

/** Of a side, in pixels. A browser holds four bytes for each pixel: at most 4 MiB. */
export const mostLogoPixels = 1024
