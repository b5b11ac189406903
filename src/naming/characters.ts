// Which characters a name may have. What cannot be seen, changes the direction of the text around it, or is a letter in
// disguise may stand in no name.

/** Seen by nobody, though they are no format characters: Braille blank, musical null, object replacement. */
const blank = /[\u2800\ufffc\ufffd\u{1d159}]/u
const space = /[ \u00a0\u3000]/u
/**
 * Latin letters of phonetics and of old prints, small capitals among them: restricted by UTS 39 §3, and twins of
 * everyday letters.
 */
const phonetic =
  /[\u{250}-\u{252}\u{255}\u{258}\u{25a}\u{25c}-\u{262}\u{264}-\u{267}\u{26a}-\u{271}\u{273}-\u{288}\u{28a}\u{28c}-\u{291}\u{293}-\u{2b8}\u{2e0}-\u{2e4}\u{1d00}-\u{1dbf}\u{2c60}-\u{2c7f}\u{a722}-\u{a787}\u{a78b}-\u{a78c}\u{a78e}-\u{a7a9}\u{a7ab}-\u{a7ff}\u{ab30}-\u{ab6f}\u{10780}-\u{107bf}\u{1df00}-\u{1dfff}]/u
/** Letters in boxes and circles; regional indicators, which make flags, come after them. */
const enclosed = /[\u{1f150}-\u{1f19a}\u{1f1ad}\u24eb-\u24ff\u2776-\u2793]/u
/** Ordinals and powers are everyday writing: 1º, Mª, m². */
const everyday = /[ªº²³¹]/u
const joiners = /[\u200c\u200d]/u
const joinedScripts =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Myanmar}\p{M}]/u
/** UTS 39 §5.4: more marks than that on one letter run over the lines around it. */
const mostMarks = 4

/**
 * The first character that may not be in a name, and why: «U+202E at place 3 changes the direction of text». Undefined:
 * all may.
 */
export function characterProblem(name: string): string | undefined {
  const all = [...name]
  let marks = 0
  for (const [at, each] of all.entries()) {
    marks = /\p{M}/u.test(each) ? marks + 1 : 0
    const why = marks > mostMarks ? 'is one accent too many on a letter' : whyNot(each, all[at - 1], all[at + 1])
    if (why !== undefined) return `${codeOf(each)} at place ${at + 1} ${why}`
  }
  return undefined
}

function whyNot(each: string, before = '', after = ''): string | undefined {
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(each)) return 'is a control character'
  if (/[\p{Co}\p{Cn}]/u.test(each)) return 'is no assigned character'
  if (/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(each)) return 'changes the direction of text'
  if (joiners.test(each)) return isJoined(before, after) ? undefined : 'cannot be seen'
  if (/[\ufe0e\ufe0f]/u.test(each)) return /\p{Emoji}/u.test(before) ? undefined : 'cannot be seen'
  if (/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(each) || blank.test(each)) return 'cannot be seen'
  if (/\p{Zs}/u.test(each) && !space.test(each)) return 'is a space that cannot be told from others'
  if (/\p{Me}/u.test(each) && each !== '\u20e3') return 'encloses a letter'
  return disguise(each)
}

/** Letters that stand for plain ones: mathematical bold, fullwidth, Roman numerals, small capitals. */
function disguise(each: string): string | undefined {
  const plain = each.normalize('NFKC')
  const isLetter = /[\p{L}\p{N}]/u.test(each) || /^[A-Za-z]$/.test(plain)
  if (plain !== each && isLetter && /^[A-Za-z0-9]+$/.test(plain) && !everyday.test(each)) {
    return `is a letter in disguise: write ${plain}`
  }
  if (phonetic.test(each) || enclosed.test(each)) return 'looks like another letter: write that one'
  return undefined
}

/** Whether a letter of the name stands for another one, as in names from before such were refused. */
export function hasDisguise(name: string): boolean {
  return [...name].some((each) => disguise(each) !== undefined)
}

/** Joiners belong into some scripts, and between the parts of one emoji. */
function isJoined(before: string, after: string): boolean {
  if (joinedScripts.test(before)) return true
  return (
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f/u.test(before) && /\p{Extended_Pictographic}/u.test(after)
  )
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
