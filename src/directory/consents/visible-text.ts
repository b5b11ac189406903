// What people write to those who decide on their requests.

const longestReason = 500

/** One line of what can be seen, of at most 500 characters. */
export function visibleText(text: string): string {
  const visible = text
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
  return [...visible.trim()].slice(0, longestReason).join('')
}
