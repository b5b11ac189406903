// What comments, titles and documents cite, and whether it is there: sections of the contract, threats, decisions,
// files of tests. Functions over file texts, so that planted citations of nothing can be shown to be found.

import type { SourceFile } from './architecture.js'

/** What can be cited. */
export interface Citable {
  /** `3`, `7.5`. */
  sections: ReadonlySet<string>
  /** `T2`, `identity M1`. */
  threats: ReadonlySet<string>
  /** 84. */
  decisions: ReadonlySet<number>
  /** Paths of all files. */
  files: ReadonlySet<string>
}

/** A row of THREATS.md. */
export interface Threat {
  code: string
  sentence: string
  /** Files that show it, from the root. */
  shownBy: readonly string[]
}

/** A comment, or (first group) a text in quotation marks, whichever begins first. */
const commentOrText = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)/g
const finding = /\b(identity|gateway) ([HML][1-9]\d?(?:(?:,| and| =)? [HML][1-9]\d?(?!\d))*)/g
const code = /(?<![\w%#.\-/{$+=])[TRCSKJVMUXPQFIG][1-9]\d?(?![\w%/+=-])/g
const unopened = /\bShow \d|\bissue[’']s\b|\bidentity-lessons|\bsecurity-checklist/

/** The sections that CONTRACT.md has, by heading or by number of a paragraph. */
export function sectionsOf(contract: string): Set<string> {
  return new Set([...contract.matchAll(/^## §(\d+) |\*\*(\d+\.\d+)[ *]/gm)].map((match) => match[1] ?? match[2] ?? ''))
}

/** The rows of THREATS.md. */
export function threatsOf(document: string): Threat[] {
  return [...document.matchAll(/^\| ((?:identity |gateway )?[A-Z]\d+) \| (.+) \| (.*) \|$/gm)].map((match) => ({
    code: match[1] ?? '',
    sentence: match[2] ?? '',
    shownBy: [...(match[3] ?? '').matchAll(/`([^`]+)`/g)].map((file) => `test/${file[1]}`),
  }))
}

/** The threats that a text names: `gateway L11, M7: …` names two. */
export function threatsIn(text: string): string[] {
  const findings = [...text.matchAll(finding)].flatMap(([, half, codes = '']) =>
    (codes.match(/[HML]\d+/g) ?? []).map((number) => `${half} ${number}`),
  )
  return [...findings, ...(text.replace(finding, ' ').match(code) ?? [])]
}

/** What a file says to its reader: comments of a source, also the strings of a test, all of a document. */
export function saidIn({ path, text }: SourceFile): string {
  if (!/\.tsx?$/.test(path)) return text
  const comments = partsOf(text)
    .comments.join('\n')
    .replace(/\n\s*(?:\/\/|\*) ?/g, ' ')
  return path.startsWith('test/') ? [comments, ...partsOf(text).texts].join('\n') : comments
}

/** Every citation of something that is not there, a sentence each. */
export function unresolved(files: readonly SourceFile[], citable: Citable): string[] {
  return files.flatMap((file) => {
    const said = saidIn(file)
    return [
      ...sectionsIn(said)
        .filter((section) => !citable.sections.has(section))
        .map((section) => `contract §${section}`),
      ...threatsIn(said).filter((threat) => !citable.threats.has(threat)),
      ...decisionsIn(said)
        .filter((number) => !citable.decisions.has(number))
        .map((number) => `decision ${number}`),
      ...testsIn(said).filter((path) => !citable.files.has(path)),
      ...(unopened.exec(said) ?? []),
    ].map((missing) => `${file.path} cites ${missing}, which is not there`)
  })
}

/** What is wrong with the rows of THREATS.md: a code twice, no sentence, nothing that shows it. */
export function unshown(threats: readonly Threat[], files: ReadonlyMap<string, string>): string[] {
  const shows = (path: string, wanted: string): boolean =>
    threatsIn(partsOf(files.get(path) ?? '').texts.join('\n')).includes(wanted)
  return threats.flatMap((threat, at) => [
    ...(threats.findIndex((other) => other.code === threat.code) === at ? [] : [`${threat.code} is listed twice`]),
    ...(threat.sentence.length > 20 ? [] : [`${threat.code} says nothing`]),
    ...(threat.shownBy.length > 0 ? [] : [`${threat.code} is shown nowhere`]),
    ...threat.shownBy.filter((path) => !shows(path, threat.code)).map((path) => `${path} does not show ${threat.code}`),
  ])
}

/** Comments, and the texts that code has in quotation marks, titles among them. */
function partsOf(text: string): { comments: string[]; texts: string[] } {
  const found = [...text.matchAll(commentOrText)]
  return {
    comments: found.filter((match) => match[1] === undefined).map((match) => match[0]),
    texts: found.flatMap((match) => match[1] ?? []),
  }
}

function sectionsIn(text: string): string[] {
  const cited = text.matchAll(/\b[Cc]ontract,? (§\d+(?:\.\d+)?(?:(?:, | and |; )§\d+(?:\.\d+)?)*)/g)
  return [...cited].flatMap(([, list = '']) => list.match(/\d+(?:\.\d+)?/g) ?? [])
}

function decisionsIn(text: string): number[] {
  const cited = text.matchAll(/\b[Dd]ecisions? (\d{1,4}(?:(?:, | and )\d{1,4})*)\b/g)
  return [...cited].flatMap(([, list = '']) => (list.match(/\d+/g) ?? []).map(Number))
}

function testsIn(text: string): string[] {
  return text.match(/(?<![\w./-])test\/[\w./-]+\.tsx?\b/g) ?? []
}
