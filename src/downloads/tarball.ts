// A tarball as npm reads it (POSIX ustar in gzip, everything below `package/`), the same bytes for the same files: no
// time, no owner, no platform is in it.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface PackageFile {
  /** Below the package's root, with forward slashes. */
  name: string
  content: Uint8Array
  /** Whether it is a program. */
  isExecutable?: boolean
}

const block = 512
/** Seconds since 1970: 1985-10-26, which npm writes too. Some tools cannot read 0. */
const writtenAt = 499_162_500
/** RFC 1952 §2.3: the byte that names the platform, and its value for none. */
const platform = { at: 9, unknown: 255 }

/** The bytes. Throws RangeError for a name that the format cannot hold. */
export async function packTarball(files: readonly PackageFile[]): Promise<Buffer> {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const parts = sorted.flatMap((file) => [header(file), file.content, padding(file.content.length)])
  const packed = await promisify(gzip)(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: 9 })
  packed[platform.at] = platform.unknown
  return packed
}

/** IEEE Std 1003.1, pax, "ustar Interchange Format". */
function header({ name, content, isExecutable = false }: PackageFile): Buffer {
  const head = Buffer.alloc(block)
  const [prefix, rest] = splitName(`package/${name}`)
  head.write(rest, 0)
  head.write(octal(isExecutable ? 0o755 : 0o644, 8), 100)
  head.write(octal(0, 8), 108)
  head.write(octal(0, 8), 116)
  head.write(octal(content.length, 12), 124)
  head.write(octal(writtenAt, 12), 136)
  head.write(' '.repeat(8), 148)
  head.write('0', 156)
  head.write('ustar\u000000', 257)
  head.write(prefix, 345)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return head
}

/** A path of up to 100 bytes, or one that a slash divides into 155 and 100. */
function splitName(path: string): [prefix: string, rest: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, rest] = [path.slice(0, at), path.slice(at + 1)]
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(rest) <= 100) return [prefix, rest]
  }
  throw new RangeError(`the name is too long for a tarball: ${path}`)
}

function octal(value: number, size: number): string {
  return `${value.toString(8).padStart(size - 1, '0')}\0`
}

function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block)
}
