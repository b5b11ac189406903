// (being written) One function turns the raw request target into the path and query that everything downstream uses.

export type CanonicalTarget =
  /** `path` begins with a slash and is fully normalised; `query` is the raw query without `?`, or undefined. */
  | { ok: true; path: string; query: string | undefined }
  /** `reason` is a stable id for log and metric. */
  | { ok: false; reason: string }
