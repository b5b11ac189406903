// What a client that nobody registered calls itself, as it may stand on a page: one short line, of characters that are
// seen and that turn nothing around.

const longest = 64
/** Whatever begins, ends or reverses a line, or is not seen at all. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** The name as it is shown and kept; empty when nothing of it is left. */
export function plainClientName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\n\r\t]/g, ' ')
    .replace(invisible, '')
    .replace(/\s+/gu, ' ')
    .trim()
  const characters = [...plain]
  return characters.length <= longest ? plain : `${characters.slice(0, longest - 1).join('')}…`
}
