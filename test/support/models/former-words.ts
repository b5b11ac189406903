// The words that this code used before it took those of its field, and how a use of each is recognised. A row forbids a
// use, not the English word: people have accounts, a process has memory, and somebody may be told something.

export interface FormerWord {
  /** As it was written. */
  word: string
  /** What it is called now. */
  standard: string
  /**
   * Forbidden in names: of files and folders, and of everything that code names. A name is compared as its words in
   * lower case, with a space between two of them: `openRedisMemory` and `redis-memory.ts` are `open redis memory` and
   * `redis memory ts`.
   */
  names?: RegExp
  /** Forbidden anywhere: in code, comments, test titles, log messages and documents. Compared a line at a time. */
  text?: RegExp
}

/** Of the rooms up to gateway/ and events/, and of the process around them. */
const lowerHalf: readonly FormerWord[] = [
  {
    word: 'memories',
    standard: 'storage',
    names: /\bmemories\b|\bredis memory\b|^memory (?:store|child|feed|lock|say|stream) ts$/,
  },
  {
    word: 'lead',
    standard: 'leader',
    names: /\blead\b/,
    text: /\b[Tt]he lead\b/,
  },
  {
    word: 'alone',
    standard: 'singleInstance, standalone',
    names: /\w alone\b|\balone \w/,
  },
  { word: 'pulse', standard: 'heartbeat', names: /\bpulses?\b/, text: /\bpulses?\b/i },
  { word: 'roll call', standard: 'replica acknowledgement', names: /\broll call\b/, text: /\broll[- ]call\b/i },
  { word: 'second look', standard: 'revalidate', names: /\bsecond look\b/, text: /\bsecond-look\b/i },
  { word: 'beat', standard: 'tick, heartbeat', names: /\bbeats?\b/, text: /\b(?:each|every|a|per) beat\b/i },
  {
    word: 'seat, seating',
    standard: 'bucket, evaluation',
    names: /\bseat(?:s|ing)?\b/,
    text: /\bseat(?:s|ed|ing)?\b/i,
  },
  { word: 'accounts (counters)', standard: 'bucketState', names: /^create accounts$|^new account$|^accounts ts$/ },
  {
    word: 'account() (ledger)',
    standard: 'appendAudit',
    names: /^account ts$|\baccount for keys\b/,
    text: /\bawait account\(/,
  },
  { word: 'turnstile', standard: 'semaphore', names: /\bturnstile\b/, text: /\bturnstile\b/i },
  { word: 'attention', standard: 'stallDetector', names: /\battention\b/ },
  { word: 'courier', standard: 'deliveryWorker', names: /\bcouriers?\b/, text: /\bcouriers?\b/i },
  { word: 'postman', standard: 'webhookSender', names: /\bpostman\b/, text: /\bpostman\b/i },
  {
    word: 'told, Told, toldBy',
    standard: 'EventData, toEvent',
    // A column of the Store keeps its name, `told_at`.
    names: /\btold\b(?! at\b)/,
  },
  { word: 'furnish', standard: 'assemble', names: /\bfurnish\w*/, text: /\bfurnish(?:es|ing)?\b/i },
  {
    word: 'rules in effect',
    standard: 'active configuration',
    names: /\brules in effect\b/,
    text: /\brules[ -]in[ -]effect\b/i,
  },
  { word: 'quieten', standard: 'suppressDuplicates', names: /\bquieten\b/, text: /\bquieten\w*/i },
  {
    word: '*Within(tx)',
    standard: '*InTransaction',
    names: /^(?:add|change|configure|ensure|forget|grant|remember|remove|use|withdraw|owners) within\b/,
    text: /\b(?:add|change|configure|ensure|forget|grant|remember|remove|use|withdraw)Within\b/,
  },
  {
    word: 'seen, Reading (config)',
    standard: 'ConfigSnapshot, FileReader',
    names: /^(?:read|last) seen$|^see again$|^seen by primary$|^reading ts$/,
  },
  // On the pages, where people read it, it is an ordinary word.
  {
    word: 'strangers',
    standard: 'untrusted parties',
    names: /\bstrangers?\b/,
    text: /^\s*(?:\/\/|\/?\*).*\bstrangers?\b/i,
  },
  { word: 'house (tests)', standard: 'testApp', names: /\bhouses?\b/, text: /\b(?:rest|rules) of the house\b/ },
  {
    word: 'files named by participles and adverbs',
    standard: 'nouns',
    names:
      /^(?:access news|described api|keep quietly|granted beyond|held access|until stopped|workers wanted|crowded|misplaced|masked|fixed|covering|outgoing|people may consent|withdraw|remove unused|retain)(?: test)? tsx?$/,
  },
]

/** Of identity/, management/, web/, portal/ and cli/. */
const upperHalf: readonly FormerWord[] = [
  { word: 'visited', standard: 'getPage', names: /\bvisit(?:s|ed)?\b(?! reg exp)/, text: /\bvisited\b/i },
  { word: 'acted', standard: 'postForm', names: /\bacted\b/, text: /\bacted\b/i },
  { word: 'standing', standard: 'status, eligibility, authority', names: /\bstandings?\b/ },
  {
    word: 'door',
    standard: 'transport, listener',
    names: /\bdoors?\b/,
  },
  {
    word: 'mend',
    standard: 'remedy, fix',
    names: /\bmend(?:s|ed|ing)?\b/,
    text: /\bmend(?:s|ed|ing)?\b/i,
  },
  { word: 'supposed', standard: 'simulated', names: /\bsuppos\w*/, text: /\bsuppos(?:es?|ed|ing)\b/i },
  {
    word: 'foreign token',
    standard: 'external token',
    names: /\bforeign (?:tokens?|issuers?|principal|claims|rules|record|lock|key|site)\b/,
  },
  { word: 'even time', standard: 'constant time', names: /\beven time\b/ },
  { word: 'kept quietly', standard: 'keep alive', names: /\bkeep quietly\b/ },
  {
    word: 'asked',
    standard: 'request, question',
    names: /\basked\b(?! of\b)/,
    // An event keeps its name, `user.email-asked`.
    text: /(?<!email-)\basked\b/i,
  },
  { word: 'whoever', standard: 'anyone who, those who, the holder of', text: /\bwhoever\b/i },
  { word: 'beginVisit', standard: 'startLogin', names: /\bbegin visit\b|\berrands?\b/, text: /\berrands?\b/i },
  {
    word: 'This page is over',
    standard: 'This page has expired',
    text: /['">](?:This (?:page|sign-in) is over|This is not for you|Stop it)['"<]/,
  },
  { word: 'The chain is whole', standard: 'The audit log is intact', text: /['">]The chain is (?:whole|broken)['"<]/ },
]

/**
 * What the command line's help does not say either, where people read it. Elsewhere these are words of plain English:
 * links lead somewhere, a machine stands still, and people visit pages.
 */
export const formerInHelp =
  /\b(?:lead|beat|standing|visit(?:s|ed)?|doors?|houses?|strangers?|foreign|begun|whoever|attention|second look)\b/i

export const formerWords: readonly FormerWord[] = [...lowerHalf, ...upperHalf]
