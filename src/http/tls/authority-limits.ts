// What a development authority may sign: this machine's own names and nothing else, so that telling a browser to trust
// it opens nothing beside (RFC 5280 §4.2.1.10). As DER, which is short, and never differs.

const localhost = Buffer.from('localhost')
const address = (family: Buffer, mask: Buffer) => element(0x87, Buffer.concat([family, mask]))
const loopback6 = Buffer.concat([Buffer.alloc(15), Buffer.of(1)])

/** The value of the extension: the names localhost and below it, 127.0.0.0/8 and ::1. */
export const localNamesOnly: Buffer = element(
  0x30,
  element(
    0xa0,
    Buffer.concat(
      [
        element(0x82, localhost),
        address(Buffer.of(127, 0, 0, 0), Buffer.of(255, 0, 0, 0)),
        address(loopback6, Buffer.alloc(16, 0xff)),
      ].map((name) => element(0x30, name)),
    ),
  ),
)

/** How the name of every development authority begins. */
export const authorityPrefix = 'Portcullis development authority'

/** Name constraints. */
export const nameConstraintsId = '2.5.29.30'

/** Whether a certificate, as DER, has exactly these limits. */
export function isLimitedToThisMachine(der: Buffer): boolean {
  // The identifier, critical, then the value.
  const extension = Buffer.concat([
    element(0x06, Buffer.of(0x55, 0x1d, 0x1e)),
    element(0x01, Buffer.of(0xff)),
    element(0x04, localNamesOnly),
  ])
  return der.includes(element(0x30, extension))
}

/** Shorter than 128 bytes. */
function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag, content.length), content])
}
