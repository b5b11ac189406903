// A sentence with things in it that are more than text: a name that a page isolates, a link, a time.

/** Text, or what a page puts there: only the page knows what it is. */
export type Part = string | object

/** The parts in the order of the language. */
export type Sentence = readonly Part[]
