// The texts of the language that a page is read in, for its parts: sendPage puts them around the page.

import { createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import type { Texts } from '../../languages/english/texts.js'
import type { Language } from '../../languages/language.js'
import { textsIn } from '../../languages/texts.js'

interface Reading {
  language: Language
  /** Where the page is, for the links that choose a language; undefined where none can be chosen. */
  here: string | undefined
}

const ReadingContext = createContext<Reading>({ language: 'en', here: undefined })

/** Around a page that is read in that language. */
export function ReadIn({ reading, children }: { reading: Reading; children: VNode }): VNode {
  return <ReadingContext.Provider value={reading}>{children}</ReadingContext.Provider>
}

/** What is said in the language of the page that this part stands on. */
export function useTexts(): Texts {
  return textsIn(useContext(ReadingContext).language)
}

/** The language, and where the page is. */
export function useReading(): Reading {
  return useContext(ReadingContext)
}
