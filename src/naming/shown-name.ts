// A name that somebody else chose, as a page may show it: nothing in it may be there and not be seen, turn the rest of the
// line around, or run over the lines beside it. What a new name may be is decided in name-problem.ts.

/** Controls, directions, joiners, variation selectors, tags, fillers, what nobody assigned, and signs without ink. */
const unseen =
  /[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}\u2800\u2d7f\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u
/** A byte order mark counts as white space, but nobody sees it. */
const space = /(?!\ufeff)\s/u
const inked = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Marks above and below: those of any script, and of scripts that need no more than two, pile up highest. */
const piling = /\p{Mn}/u
const lowPiles = /[\p{Script=Inherited}\p{Script=Common}\p{Script=Latin}\p{Script=Thai}\p{Script=Lao}]/u
const [mostMarks, mostLowMarks] = [4, 2] // UTS 39 §5.4
/** After these a joiner changes letters (RFC 5892 appendix A.1): the viramas of scripts of India and its neighbours. */
const virama = /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2]/u
/** Arabic letters that join none behind them, so that nobody sees a joiner there. */
const joinsNone =
  /[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5]/u

/** Most names: nothing but ASCII that is seen. */
const plain = /^[!-~]+(?: [!-~]+)*$/

/** Composed (NFC), on one line, with single spaces; empty when nothing of it can be seen. */
export function shownName(name: string): string {
  if (plain.test(name)) return name
  const all = [...name.normalize('NFC')]
  const kept: string[] = []
  let marks = 0
  for (const [at, each] of all.entries()) {
    const before = kept.at(-1) ?? ' '
    if (space.test(each)) {
      if (before !== ' ') kept.push(' ')
    } else if (unseen.test(each)) {
      if (isJoined(each, before, all[at + 1] ?? '')) kept.push(each)
    } else if (/\p{M}/u.test(each)) {
      marks += piling.test(each) ? 1 : 0
      if (fits(each, before, marks)) kept.push(each)
    } else {
      marks = 0
      kept.push(each)
    }
  }
  const shown = kept.join('').normalize('NFC').trim()
  return inked.test(shown) ? shown : ''
}

/** Whether a mark stands on a letter, once, and not too high. */
function fits(mark: string, before: string, marks: number): boolean {
  if (/\p{Me}/u.test(mark)) return mark === '\u20e3' && /[0-9#*]|\ufe0f/.test(before)
  return before !== ' ' && before !== mark && marks <= (lowPiles.test(mark) ? mostLowMarks : mostMarks)
}

/** Whether what is not seen itself changes what is: in emoji, and between letters that are written in one. */
function isJoined(each: string, before: string, after: string): boolean {
  const isEmoji = /\p{Extended_Pictographic}/u
  if (each === '\ufe0e' || each === '\ufe0f')
    return isEmoji.test(before) || (/[0-9#*]/.test(before) && after === '\u20e3')
  if (each !== '\u200c' && each !== '\u200d') return false
  if (virama.test(before)) return /\p{L}/u.test(after)
  if (each === '\u200d')
    return isEmoji.test(after) && /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u.test(before)
  const isArabic = /(?=\p{L})\p{Script=Arabic}/u
  return isArabic.test(before) && !joinsNone.test(before) && isArabic.test(after)
}
