// Mistakes that were there once, put back one at a time into a copy of the project: the random calls have to find each.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/config/package-root.js'

export interface Hole {
  /** By the finding that it was. */
  name: string
  path: string
  /** Every one of these texts becomes the other. */
  changes: readonly (readonly [text: string, other: string])[]
}

export const holes: readonly Hole[] = [
  {
    name: 'identity H1: permissions of the server are asked of nobody',
    path: 'src/management/ceiling.ts',
    changes: [['if (isServerPermission(catalogue, ref) && person?.isOperator !== true) return false', '']],
  },
  {
    name: 'identity H2: the role is not asked of what people allow alone',
    path: 'src/management/ceiling.ts',
    changes: [
      [
        'ofPeople.find((ref) => !mayUse(catalogue, caller, ref) || !mayAllow(catalogue, caller, ref))',
        'ofPeople.find((ref) => needsAdministrator(catalogue, ref) && !(mayUse(catalogue, caller, ref) && mayAllow(catalogue, caller, ref)))',
      ],
    ],
  },
  {
    name: 'identity H3: an application is every developer’s',
    path: 'src/management/change-asked.ts',
    changes: [["if (caller.kind === 'local') return", 'if (caller !== undefined) return']],
  },
  {
    name: 'identity M3: an application gives roles as an administrator',
    path: 'src/management/people-rules.ts',
    changes: [["caller.person?.role ?? 'member'", "caller.person?.role ?? 'administrator'"]],
  },
  {
    name: 'identity M3: an application is handed links',
    path: 'src/management/letting-in.ts',
    changes: [
      [
        "if (caller.kind === 'local' || caller.principal.kind === 'session') return true",
        'if (caller.kind) return true',
      ],
    ],
  },
]

/** Runs the calls on a copy with the mistake; `said` is the first disagreement, or how it ended. */
export function withHole(hole: Hole, options: readonly string[]): { isFound: boolean; said: string } {
  const root = String(packageRoot())
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-hole-'))
  try {
    for (const name of ['package.json', 'tsconfig.json', 'src', 'test', 'config']) {
      cpSync(join(root, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const file = join(folder, hole.path)
    let text = readFileSync(file, 'utf8')
    for (const [from, to] of hole.changes) {
      if (!text.includes(from)) throw new Error(`${hole.path} has no ${from}: say anew what ${hole.name} is`)
      text = text.replaceAll(from, to)
    }
    writeFileSync(file, text)
    const run = ['--import', 'tsx', 'test/privileges/main.ts', ...options]
    const { status, stdout } = spawnSync(process.execPath, run, { cwd: folder, encoding: 'utf8', timeout: 900_000 })
    const [first = ''] = stdout.split('\n')
    return { isFound: status === 1 && first.startsWith('seed '), said: first.slice(0, 400) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
