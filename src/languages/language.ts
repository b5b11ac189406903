// The languages that pages and mails are written in.

/** By their BCP 47 tags, in the order in which they are offered. */
export const languages = ['en', 'de', 'fr', 'es', 'ja'] as const
export type Language = (typeof languages)[number]

/** What each is called by those who read it. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
}

/** The language of a tag such as `de-AT` (RFC 4647 §3.4, look-up by its primary language); undefined: none of ours. */
export function languageOfTag(tag: string | undefined): Language | undefined {
  const primary = /^([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*$/i.exec(tag?.trim() ?? '')?.[1]?.toLowerCase()
  return languages.find((each) => each === primary)
}
