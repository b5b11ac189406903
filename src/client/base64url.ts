// Base64url without padding (RFC 4648 §5), and random text in it; without Buffer, which browsers do not have.

export function toBase64url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The text of UTF-8 in base64url. Throws for anything else. */
export function textOfBase64url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

/** 256 random bits. */
export function randomText(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)))
}
