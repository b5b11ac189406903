// The rules of the project as functions over file texts, so that a planted violation can be shown to be found.

import { spreadsDependencies } from './spread-dependencies.js'

export interface SourceFile {
  /** From the project's root, with forward slashes: `src/oauth/requests/scope.ts`. */
  path: string
  text: string
}

/** Rooms from the lowest level up; rooms on one level do not know each other. `main.ts` stands above all. */
export const levels: readonly (readonly string[])[] = [
  ['oauth', 'mcp', 'naming', 'branding', 'openapi', 'observability', 'egress', 'languages'],
  ['config', 'http', 'storage', 'mcp-client'],
  ['tokens', 'ledger', 'limits', 'cluster', 'history'],
  ['revocation'],
  ['directory'],
  ['users', 'access', 'client-documents', 'tool-definitions', 'approvals'],
  ['web', 'events', 'gateway'],
  ['identity', 'downloads'],
  ['management'],
  ['portal', 'cli'],
  ['instance'],
  ['process'],
]

/** Rooms that stand beside the levels: what they may import, and who may import them. */
export const aside: Readonly<Record<string, { imports: readonly string[]; importedBy: readonly string[] }>> = {
  backend: {
    imports: ['http', 'config', 'storage/sql', 'storage/changes', 'tokens'],
    importedBy: ['instance', 'process'],
  },
  client: { imports: [], importedBy: ['cli'] },
}

/** Files directly in one folder. */
const mostFiles = 20

/**
 * The folders of identity/ from the lowest up, like the levels; the files directly in it are for all, index.ts knows
 * all.
 */
const identityFolders: readonly (readonly string[])[] = [
  ['client'],
  ['pending', 'token'],
  ['issued-tokens', 'metadata'],
  ['sign-in'],
  ['consent'],
  ['authorize'],
  ['account', 'admin-consent', 'approvals', 'device', 'logout', 'register'],
  ['external'],
  ['openapi'],
]

/** A package belongs to one room; fastify and typebox to all. */
export const packageRooms: Readonly<Record<string, readonly string[]>> = {
  jose: ['tokens'],
  undici: ['gateway'],
  '@fastify/http-proxy': ['gateway'],
  'find-my-way': ['gateway', 'http'],
  '@fastify/rate-limit': ['limits'],
  'prom-client': ['observability'],
  pino: ['observability', 'http'],
  'pino-pretty': ['observability', 'http'],
  '@opentelemetry/api': ['http'],
  '@opentelemetry/exporter-trace-otlp-http': ['http'],
  '@opentelemetry/resources': ['http'],
  '@opentelemetry/sdk-trace': ['http'],
  '@peculiar/x509': ['http'],
  'reflect-metadata': ['http'],
  '@photostructure/sqlite': ['storage'],
  kysely: ['storage'],
  pg: ['storage'],
  ioredis: ['storage'],
  yaml: ['config', 'openapi'],
  re2js: ['openapi', 'config'],
  '@eslint-community/regexpp': ['openapi', 'config'],
  ajv: ['config', 'openapi'],
  commander: ['cli'],
  '@bomb.sh/tab': ['cli'],
  'close-with-grace': ['process'],
  esbuild: ['process'],
  'lru-cache': ['access', 'directory'],
  '@fastify/cookie': ['web'],
  marked: ['web'],
  preact: ['web', 'identity', 'portal', 'downloads'],
  'preact-render-to-string': ['web'],
  '@simplewebauthn/server': ['identity'],
  '@simplewebauthn/browser': ['identity', 'web'],
  uqr: ['identity'],
  'openid-client': ['identity'],
  '@node-rs/argon2': ['users'],
  '@zxcvbn-ts/language-common': ['users'],
  otpauth: ['users'],
  nodemailer: ['users'],
  'fast-json-stringify': ['management'],
  fastify: ['*'],
  typebox: ['*'],
}

const forbiddenNames = /(^|\/)(utils?|helpers?|common|shared|core|services?|managers?|misc|auth)(\/|\.ts$|$)/
const importLine =
  /^\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm

/** Everything that breaks a rule, one sentence each; empty when the project is in order. */
export function violations(files: readonly SourceFile[]): string[] {
  return [...files.flatMap((file) => [...importViolations(file), ...shapeViolations(file)]), ...crowded(files)]
}

/** The folders with more files than a reader takes in at a glance, one sentence each. */
export function crowded(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>()
  for (const { path } of files) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder} has ${count} files; ${mostFiles} is the most`)
}

function importViolations(file: SourceFile): string[] {
  return importsOf(file.text).flatMap((specifier) => {
    if (specifier.startsWith('node:')) return []
    if (specifier.startsWith('.')) return roomViolation(file.path, resolve(file.path, specifier))
    return packageViolation(file.path, packageName(specifier))
  })
}

/** The specifiers that a file imports, static, side-effect and dynamic, types included. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(importLine)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

/** `src/storage/sql/x.ts` → `storage`; undefined for a file directly in src. */
function roomOf(path: string): string | undefined {
  const parts = path.split('/')
  return parts.length > 2 ? parts[1] : undefined
}

function roomViolation(from: string, to: string): string[] {
  const [fromRoom, toRoom] = [roomOf(from), roomOf(to)]
  // main.ts stands above all.
  if (fromRoom === undefined) return []
  if (fromRoom === toRoom) return fromRoom === 'identity' ? folderViolation(from, to) : []
  if (toRoom === undefined) return [`${from} may not import ${to}: imports go down only`]
  const allowed = aside[fromRoom]?.imports
  if (allowed !== undefined) {
    return allowed.some((layer) => to.startsWith(`src/${layer}/`))
      ? []
      : [`${from} may not import ${to}: ${fromRoom} stands aside`]
  }
  if (aside[toRoom]?.importedBy.includes(fromRoom) === true) return []
  const [fromLevel, toLevel] = [levelOf(fromRoom), levelOf(toRoom)]
  if (fromLevel === -1) return [`${from} is in a room that no level names`]
  return toLevel !== -1 && toLevel < fromLevel ? [] : [`${from} may not import ${to}: imports go down only`]
}

function folderViolation(from: string, to: string): string[] {
  const [fromFolder, toFolder] = [folderOf(from), folderOf(to)]
  if (fromFolder === toFolder || fromFolder === undefined || toFolder === undefined) return []
  const step = (folder: string) => identityFolders.findIndex((folders) => folders.includes(folder))
  if (step(fromFolder) === -1) return [`${from} is in a folder of identity that has no place in the order`]
  return step(toFolder) < step(fromFolder) ? [] : [`${from} may not import ${to}: imports go down only`]
}

/** `src/identity/token/x.ts` → `token`; nothing for the files directly in identity. */
function folderOf(path: string): string | undefined {
  const parts = path.split('/')
  return parts.length > 3 ? parts[2] : undefined
}

function levelOf(room: string): number {
  return levels.findIndex((level) => level.includes(room))
}

function packageViolation(from: string, name: string): string[] {
  const rooms = packageRooms[name]
  const room = roomOf(from)
  if (rooms === undefined) return [`${from} imports ${name}, which no room owns`]
  return rooms.includes('*') || (room !== undefined && rooms.includes(room))
    ? []
    : [`${from} imports ${name}, which belongs to ${rooms.join(', ')}`]
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const step of specifier.split('/')) {
    if (step === '..') parts.pop()
    else if (step !== '.') parts.push(step)
  }
  return parts.join('/').replace(/\.js$/, '.ts')
}

function shapeViolations(file: SourceFile): string[] {
  const found: string[] = []
  if (roomOf(file.path) === undefined && file.path !== 'src/main.ts') found.push(`${file.path} is in no room`)
  const lines = file.text.split('\n').length - 1
  if (lines > 300) found.push(`${file.path} has ${lines} lines; 300 is the most`)
  if (forbiddenNames.test(file.path.replace(/^src\//, ''))) found.push(`${file.path}: a drawer, not a noun`)
  if (!/^src\/([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(file.path))
    found.push(`${file.path} is not kebab-case`)
  if (!/^(#!.*\n)?\/\//.test(file.text)) found.push(`${file.path} does not open with its purpose`)
  if (/^export default/m.test(file.text)) found.push(`${file.path} has a default export`)
  if (/^export (\*|\{[^}]*\}|type \{[^}]*\}) from/m.test(file.text)) found.push(`${file.path} re-exports`)
  const values = file.text.match(/^export (async )?(abstract )?(function|const|class|let) /gm)?.length ?? 0
  if (values > 4) found.push(`${file.path} exports ${values} values; 4 is the most`)
  if (/^\s*(export )?(const )?enum |^\s*(export )?namespace /m.test(file.text))
    found.push(`${file.path} has an enum or a namespace`)
  if (/\.\.\.\s*\(?\s*\{/.test(file.text)) found.push(`${file.path} spreads a literal; its fields are written out`)
  if (spreadsDependencies(file.text)) found.push(`${file.path} spreads its dependencies; a room is given what it names`)
  if (/\b(TODO|FIXME|XXX)\b/.test(file.text)) found.push(`${file.path} promises work`)
  return found
}
