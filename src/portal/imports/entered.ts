// What the forms of an import say.

import type { FormFields } from '../../web/form-token.js'

/** The page. */
export const importPath = '/portal/import'

export interface Entered {
  step: 'look' | 'import'
  /** Empty: by the fields of the export. */
  source: string
  /** The file, or what was pasted; undefined: neither, or both. */
  content: string | undefined
  /** What was pasted. */
  text: string
  update: boolean
  /** A line for each permission: `name = permission`. */
  map: string
}

/** Reads them. */
export function entered(form: FormFields): Entered {
  const [file, text] = [form.get('file'), form.get('text')]
  const prepared = form.get('prepared')
  return {
    step: form.get('step') === 'import' ? 'import' : 'look',
    source: prepared === undefined ? (form.get('source') ?? '') : 'prepared',
    content: prepared ?? (file === undefined || text === undefined ? (file ?? text) : undefined),
    text: text ?? '',
    update: form.get('update') === 'yes',
    map: form.get('map') ?? '',
  }
}

/** The map, without lines that say nothing yet; or what is wrong with it. */
export function permissionMap(text: string): Record<string, string> | string {
  const map = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const at = line.lastIndexOf('=')
    if (line.trim() === '') continue
    if (at < 1) return `Write a line for each permission: name = permission. This is none: ${line.trim().slice(0, 80)}`
    const [name, permission] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    if (permission !== '') map.set(name, permission)
  }
  return Object.fromEntries(map)
}
