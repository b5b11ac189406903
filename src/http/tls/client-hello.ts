// What the first message of a TLS handshake says before a server has been chosen for it (RFC 8446 §4.1.2). Everything
// in it is the client's word, which may be anything: what cannot be read says nothing.

export interface ClientHello {
  /** Whether it offers TLS 1.3. */
  offersTls13: boolean
  /** The host that it wants (SNI, RFC 6066 §3), as it says it; empty for none. */
  name: string
  /** The session ticket that it would go on from, in TLS 1.3. */
  ticket: Buffer | undefined
}

const record = 22
const clientHello = 1
const headBytes = 5
const serverName = 0
const supportedVersions = 43
const preSharedKey = 41
const tls13 = 0x0304
/** A record has no more (RFC 8446 §5.1). */
const longestRecord = 16_384

/** Whether these are the first bytes of a handshake whose first record goes on after them. */
export function isPartialHello(bytes: Buffer): boolean {
  if (bytes[0] !== record) return false
  if (bytes.length < headBytes) return true
  const length = bytes.readUInt16BE(3)
  return length <= longestRecord && bytes.length < headBytes + length
}

/** Reads it from the first bytes of a connection; undefined when they hold no whole one. Throws nothing. */
export function readClientHello(bytes: Buffer): ClientHello | undefined {
  try {
    if (bytes[0] !== record || bytes[headBytes] !== clientHello) return undefined
    return readExtensions(bytes.subarray(headBytes + 4, headBytes + bytes.readUInt16BE(3)))
  } catch (error) {
    // It ends before it should.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readExtensions(hello: Buffer): ClientHello {
  let at = 2 + 32
  at += 1 + hello.readUInt8(at)
  at += 2 + hello.readUInt16BE(at)
  at += 1 + hello.readUInt8(at)
  const end = at + 2 + hello.readUInt16BE(at)
  at += 2
  const found: ClientHello = { offersTls13: false, name: '', ticket: undefined }
  while (at < end) {
    const kind = hello.readUInt16BE(at)
    const data = hello.subarray(at + 4, at + 4 + hello.readUInt16BE(at + 2))
    if (kind === serverName && data.length > 0) found.name = data.toString('latin1', 5, 5 + data.readUInt16BE(3))
    if (kind === supportedVersions) found.offersTls13 = hasVersion(data)
    if (kind === preSharedKey) found.ticket = data.subarray(4, 4 + data.readUInt16BE(2))
    at += 4 + hello.readUInt16BE(at + 2)
  }
  return found
}

function hasVersion(data: Buffer): boolean {
  for (let at = 1; at + 1 < data.length; at += 2) if (data.readUInt16BE(at) === tls13) return true
  return false
}
