// One JWS written in other ways that lenient readers take for the same (threat J10).

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Each with what is different in it; the bytes of all three parts are those of `jws`. */
export function otherSpellings(jws: string): [title: string, spelling: string][] {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const last = alphabet.indexOf(signature.at(-1) ?? '')
  const middle = Math.floor(signature.length / 2)
  const broken = (between: string) => `${signature.slice(0, middle)}${between}${signature.slice(middle)}`
  const spelled = (signed: string) => `${header}.${payload}.${signed}`
  return [
    ['padding', spelled(`${signature}=`)],
    ['more padding', spelled(`${signature}==`)],
    ['stray bits in the last character', spelled(signature.slice(0, -1) + alphabet[last ^ 1])],
    ['a line break', spelled(broken('\n'))],
    ['a line break at the end', spelled(`${signature}\r\n`)],
    ['a blank', spelled(broken(' '))],
    ['a blank in front', ` ${jws}`],
    ['a tab', spelled(broken('\t'))],
    ['a sign of no alphabet', spelled(broken('*'))],
    ['the other alphabet', spelled(`${signature.replaceAll('-', '+').replaceAll('_', '/')}=`)],
    ['padding of the header', `${header}=.${payload}.${signature}`],
    ['padding of the claims', `${header}.${payload}=.${signature}`],
    ['a dot more', `${jws}.`],
  ]
}
