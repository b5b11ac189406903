// Every regular expression in src is checked for a text that makes it take more than linear time.
// full: every regular expression in src, searched for one that is slow

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp'
import { check, type Diagnostics } from 'recheck'
import t from 'tap'
import ts from 'typescript'

const root = new URL('../', import.meta.url).pathname.replace(/dist\/$/, '')
const src = join(root, 'src')

/** Those that may, or that nobody can tell of, with what bounds their texts. */
const bounded: Record<string, string> = {
  'cli/arguments.ts': 'an argument of the command line',
  'cli/openapi/proposal.ts': 'a document on the machine of who runs the command',
  'config/routes/described-routes.ts': 'the configuration',
  'config/read/json-schema.ts': 'the configuration, in an editor',
  'config/process/storage.ts': 'the configuration',
  'config/routes/route-key.ts': 'the configuration',
  'openapi/describe-service.ts': 'the configuration',
  'config/routes/upstream-tls.ts': 'a file of the configuration',
  'gateway/upstreams/upstream.ts': 'the configuration',
  'identity/metadata/metadata.ts': 'the configuration',
  'management/openapi/registered.ts': 'routes of our own',
  'instance/first-start/first-call.ts': 'the configuration',
  'instance/first-start/master-key.ts': 'a file of the server',
  'tokens/external/external-json.ts': 'only after JSON.parse took the text, so every text in it ends',
  'users/mail/email.ts': '254 characters',
  'users/credentials/password.ts': 'a digest of our own',
  'users/credentials/password-rules.ts': '1,024 bytes',
}

interface Found {
  file: string
  source: string
  flags: string
}

t.test(
  'gateway M2: no text makes an expression of ours take more than linear time',
  { timeout: 600_000 },
  async (t) => {
    const all = new Map(expressions().map((found) => [`${found.file} /${found.source}/${found.flags}`, found]))
    const started = performance.now()
    t.ok(all.size > 250, `${all.size} expressions`)
    const risky: string[] = []
    for (const [name, { file, source, flags }] of all) {
      if (isPlainlyLinear(source, flags)) continue
      if (bounded[file] !== undefined) continue
      const found = await diagnosis(source, flags)
      if (found.status === 'unknown') risky.push(`${name}: nobody can tell`)
      if (found.status === 'vulnerable' && isSlow(source, flags, found.attack)) {
        risky.push(`${name}: ${found.attack.pattern}`)
      }
    }
    t.comment(`${((performance.now() - started) / 1_000).toFixed(0)} s`)
    t.same(risky, [])
  },
)

t.test('a text that is said to be slow is believed when it is', async (t) => {
  for (const [source, flags] of [
    ['^(?:a+)+$', 'u'],
    ['^[^@]*@?[^@]*x$', ''],
    ['\\s+$', 'u'],
    ['urn:ietf:params:oauth:[^!]*$', ''],
    ['Bearer [^,]*$', ''],
    ['portcullis_[a-z_:;]*=$', 'u'],
  ] as const) {
    const found = await diagnosis(source, flags)
    t.equal(found.status === 'vulnerable' && isSlow(source, flags, found.attack), true, source)
  }
  const long = { pumps: [{ prefix: '', pump: 'a'.repeat(40), bias: 1 }], suffix: '!' }
  t.ok(isSlow('^(?:a+)+$', 'u', long), 'a part that is too long to be repeated eight times in a second')
  const linear = '^(?!www\\.)(?:[\\p{L}\\p{N}-]+\\.)+\\p{L}{2,}$'
  for (const pump of ['a.', 'a', 'ab.', '.']) {
    const attack = { pumps: [{ prefix: '', pump, bias: 1 }], suffix: '!' }
    t.notOk(isSlow(linear, 'iu', attack), pump)
  }
})

/** A machine that stands still makes the search end early: it then begins again, with more time. */
async function diagnosis(source: string, flags: string): Promise<Diagnostics> {
  const first = await check(source, flags, { timeout: 20_000, randomSeed: 1 })
  return first.status === 'unknown' ? check(source, flags, { timeout: 120_000, randomSeed: 1 }) : first
}

type Attack = Pick<Extract<Diagnostics, { status: 'vulnerable' }>['attack'], 'pumps' | 'suffix'>

/**
 * The search counts steps of its own machine and may take many for slow, so its text is tried on the expression itself,
 * with 100,000 repetitions of each part: linear time is some milliseconds, and quadratic time many seconds. Where the
 * expression has no room for so many, with as many as there is room for. A loaded machine takes a second for what is
 * linear too; then the growth decides.
 */
function isSlow(source: string, flags: string, { pumps, suffix }: Attack): boolean {
  const expression = new RegExp(source, flags)
  const textOf = (times: number) => pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('') + suffix
  for (let times = 100_000; times > 100; times /= 2) {
    const outcomes = [1, 2, 3].map(() => outcome(expression, textOf(times)))
    if (!outcomes.includes('no room')) {
      return outcomes.every((each) => each === 'too long') && growsFaster(expression, textOf, times)
    }
  }
  return true
}

/** From a text to one eight times as long: by 8 where time is linear, by 64 or more where it is not. */
function growsFaster(expression: RegExp, textOf: (times: number) => string, most: number): boolean {
  for (let times = 64; times <= most; times *= 2) {
    const long = leastMs(expression, textOf(times))
    // Half of it took less than what is measurable, and this three times more than four seconds.
    if (long === Number.POSITIVE_INFINITY) return true
    if (long >= measurableMs) return long > 20 * leastMs(expression, textOf(times / 8))
  }
  return false
}

// An eighth of a quadratic one of these is five milliseconds, which is much beside what a try itself costs.
const measurableMs = 300

/** The least of some runs in time of the processor, so that neither a pause nor others count; infinite: all were too long. */
function leastMs(expression: RegExp, text: string): number {
  const took = [1, 2, 3].map(() => {
    const started = process.cpuUsage()
    const isInTime = outcome(expression, text, 4_000) === 'in time'
    const { user, system } = process.cpuUsage(started)
    return isInTime ? (user + system) / 1_000 : Number.POSITIVE_INFINITY
  })
  return Math.min(...took)
}

/** Without it no expression could be stopped; one for all, since making one takes a millisecond. */
const context = createContext({})

/** A machine that stands still is `too long` too, but not each time in a row. */
function outcome(expression: RegExp, text: string, timeout = 1_000): 'in time' | 'too long' | 'no room' {
  try {
    Object.assign(context, { expression, text })
    runInContext('expression.test(text)', context, { timeout })
    return 'in time'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'too long' : 'no room'
  }
}

/** No loop, or from the beginning of the text a single one of single characters: most of them are. */
function isPlainlyLinear(source: string, flags: string): boolean {
  const { pattern } = parseRegExpLiteral(new RegExp(source, flags))
  const loops: AST.Quantifier[] = []
  visitRegExpAST(pattern, { onQuantifierEnter: (loop) => loops.push(loop) })
  const endless = loops.filter(({ max }) => max > 300)
  if (endless.length === 0) return loops.filter(({ max }) => max > 2).length < 3
  const isAnchored = pattern.alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  )
  const [loop] = endless
  return isAnchored && loops.length === 1 && loop !== undefined && /^Character/.test(loop.element.type)
}

/** Literals, and texts that stand as `pattern` in a schema. */
function expressions(): Found[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  return files.flatMap((file) => {
    const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
    const tree = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.Latest, true, kind)
    const found: Found[] = []
    const walk = (node: ts.Node) => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/')
        found.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
      }
      if (
        ts.isPropertyAssignment(node) &&
        node.name.getText() === 'pattern' &&
        ts.isStringLiteralLike(node.initializer)
      ) {
        if (node.initializer.text !== '') found.push({ file, source: node.initializer.text, flags: 'u' })
      }
      ts.forEachChild(node, walk)
    }
    walk(tree)
    return found
  })
}
