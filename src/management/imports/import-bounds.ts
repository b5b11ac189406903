// How much an import may be.

/** Characters of an export that a server takes; the command line reads larger ones by itself. */
export const mostCharacters = 1_048_576
/** Of what a look answers: there every field is written out. */
export const mostPrepared = 2 * mostCharacters
/** Applications of one import. */
export const mostApplications = 300
