// The rules of the house as functions over file texts, so that a planted violation can be shown to be found.

export interface SourceFile {
  /** From the project's root, with forward slashes: `src/oauth/scope.ts`. */
  path: string
  text: string
}

/** Rooms from the lowest level up; rooms on one level do not know each other. `app` stands for the files directly in src. */
export const levels: readonly (readonly string[])[] = [
  ['oauth', 'naming'],
  ['config', 'memory', 'http'],
  ['tokens', 'ledger', 'limits'],
  ['revocation', 'directory'],
  ['users', 'access'],
  ['gateway', 'identity', 'events'],
  ['management'],
  ['portal', 'cli', 'start'],
  ['app'],
]

/** Rooms that stand beside the levels: what they may import. */
export const aside: Readonly<Record<string, readonly string[]>> = {
  backend: ['http', 'config', 'memory/store', 'tokens'],
  client: [],
}

/** The folders of identity/ from the lowest up, like the levels; the files directly in it are for all, index.ts knows all. */
const identityFolders: readonly (readonly string[])[] = [
  ['pages', 'pending', 'token'],
  ['browser'],
  ['sign-in'],
  ['consent'],
  ['authorize'],
  ['account', 'admin-consent', 'device', 'logout', 'register'],
  ['external'],
]

/** A package belongs to one room; fastify and typebox to all. */
export const packageRooms: Readonly<Record<string, readonly string[]>> = {
  jose: ['tokens'],
  undici: ['gateway'],
  '@fastify/http-proxy': ['gateway'],
  'find-my-way': ['gateway'],
  '@fastify/rate-limit': ['limits'],
  'prom-client': ['http'],
  pino: ['http'],
  'pino-pretty': ['http'],
  '@opentelemetry/api': ['http'],
  '@opentelemetry/exporter-trace-otlp-http': ['http'],
  '@opentelemetry/resources': ['http'],
  '@opentelemetry/sdk-trace': ['http'],
  '@peculiar/x509': ['http'],
  'reflect-metadata': ['http'],
  '@photostructure/sqlite': ['memory'],
  kysely: ['memory'],
  pg: ['memory'],
  ioredis: ['memory'],
  yaml: ['config'],
  re2js: ['config'],
  '@eslint-community/regexpp': ['config'],
  ajv: ['config'],
  commander: ['cli'],
  picocolors: ['cli', 'start'],
  '@bomb.sh/tab': ['cli'],
  'close-with-grace': ['app'],
  'lru-cache': ['access', 'directory'],
  '@fastify/cookie': ['identity'],
  preact: ['identity', 'portal'],
  'preact-render-to-string': ['identity'],
  '@simplewebauthn/server': ['identity'],
  '@simplewebauthn/browser': ['identity'],
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

/** Everything that breaks a rule, one sentence each; empty when the house is in order. */
export function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...importViolations(file), ...shapeViolations(file)])
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

/** `src/memory/store/x.ts` → `memory`; files directly in src → `app`. */
function roomOf(path: string): string {
  const parts = path.split('/')
  return parts.length > 2 ? (parts[1] as string) : 'app'
}

function roomViolation(from: string, to: string): string[] {
  const [fromRoom, toRoom] = [roomOf(from), roomOf(to)]
  if (fromRoom === toRoom) return fromRoom === 'identity' ? folderViolation(from, to) : []
  if (fromRoom === 'app') return []
  const allowed = aside[fromRoom]
  if (allowed !== undefined) {
    return allowed.some((place) => to.startsWith(`src/${place}/`))
      ? []
      : [`${from} may not import ${to}: ${fromRoom} stands aside`]
  }
  if (toRoom === 'backend' && fromRoom === 'start') return []
  if (toRoom === 'client' && fromRoom === 'cli') return []
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
  if (rooms === undefined) return [`${from} imports ${name}, which no room owns`]
  return rooms.includes('*') || rooms.includes(roomOf(from))
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
  if (/\b(TODO|FIXME|XXX)\b/.test(file.text)) found.push(`${file.path} promises work`)
  return found
}
