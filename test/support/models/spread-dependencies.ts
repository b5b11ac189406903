// Whether a source file hands on what it was given as a whole, by a spread or by a detour around one. A part that is
// given what it names can be read from its signature; one that is given everything has to be read to its end.

/** What a bag of them is called, alone or at the end of a name. */
const bag = '(?:deps|dependencies|things|services|collaborators|context)'
/** A name or a member that ends so: `deps`, `this.deps`, `pageDependencies`. */
const whole = `(?:[\\w$]+[?!]?\\.)*[\\w$]*${bag}`
/** The same, or a member of one: `deps.writes`. */
const named = `${whole}(?:[?!]?\\.[\\w$]+)*`
const typed = '(?:(?:Omit|Partial|Pick|Readonly|Required)<)*[\\w$]*(?:Deps|Dependencies|Collaborators|Services)\\b'

/** Not what is spread into a list, which are values. */
const spread = new RegExp(`\\.\\.\\.\\(*\\s*${named}\\s*(?:[,})!]|\\bas\\b|\\bsatisfies\\b|\\?\\?|\\|\\|)`, 'i')
/** Of what makes one. A request's context is no bag: it is copied by anyone who changes one of its facts. */
const spreadCall = /\.\.\.\(*\s*(?:await\s+)?(?:[\w$]+\.)*[\w$]*(?:deps|dependencies|services|collaborators)\(/i
const copied = new RegExp(
  `\\b(?:Object\\.(?:assign|entries|create|getOwnPropertyDescriptors)|structuredClone)\\((?:[^()]*,)?\\s*${whole}\\s*[,)]`,
  'i',
)
/** What is left of one after some fields are taken out. */
const rest = new RegExp(`\\.\\.\\.[\\w$]+\\s*\\}\\s*(?:=\\s*${whole}\\s*(?:[\\n;,)]|$)|:\\s*${typed})`, 'i')
/** Names in this file that stand for one: by their type, or because one was assigned to them. */
const byType = new RegExp(`\\b([\\w$]+)\\??:\\s*${typed}`, 'g')
const byAssignment = new RegExp(`\\b(?:const|let)\\s+([\\w$]+)(?::[^=\\n]+)?\\s*=\\s*${whole}\\s*(?:[\\n;]|$)`, 'gi')

/** Gives whether it does. */
export function spreadsDependencies(text: string): boolean {
  if ([spread, spreadCall, copied, rest].some((pattern) => pattern.test(text))) return true
  const names = new Set([...text.matchAll(byType), ...text.matchAll(byAssignment)].map(([, name = '']) => name))
  return [...text.matchAll(/\.\.\.\(*\s*([\w$]+)\s*(?:[,})!]|\bas\b)/g)].some(([, name = '']) => names.has(name))
}
