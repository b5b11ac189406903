// The words that this code used before it took those of its field, and how a use of each is recognised. A row forbids a use,
// not the English word: people have accounts, a process has memory, and somebody may be told something.

export interface FormerWord {
  /** As it was written. */
  word: string
  /** What it is called now. */
  standard: string
  /**
   * Forbidden in names: of files and folders, and of everything that code names. A name is compared as its words in lower
   * case, with a space between two of them: `openRedisMemory` and `redis-memory.ts` are `open redis memory` and `redis memory ts`.
   */
  names?: RegExp
  /** Forbidden anywhere: in code, comments, test titles, log messages and documents. Compared a line at a time. */
  text?: RegExp
}

/** Of the rooms up to gateway/ and events/, and of the process around them. */
const lowerHalf: readonly FormerWord[] = []

/** Of identity/, management/, web/, portal/ and cli/. */
const upperHalf: readonly FormerWord[] = [
  { word: 'visited', standard: 'getPage', names: /\bvisited\b|\bvisit (?:of|ts)\b/ },
  { word: 'acted', standard: 'postForm', names: /\bacted\b/ },
  { word: 'standing', standard: 'status, eligibility, authority', names: /\bstandings?\b/ },
  {
    word: 'door',
    standard: 'transport, listener',
    names: /\bdoors?\b/,
    text: /\b(?:the|local|public|which|every) doors?\b(?! on)/,
  },
  {
    word: 'mend',
    standard: 'remedy, fix',
    names: /\bmend (?:s|all|steps)\b|\bmended\b/,
    text: /\bhow to mend\b|\bmend it\b/,
  },
  { word: 'supposed', standard: 'simulated', names: /\bsuppose\b|\bsupposed \w/ },
]

export const formerWords: readonly FormerWord[] = [...lowerHalf, ...upperHalf]
