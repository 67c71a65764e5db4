import type { CellReference, Issues } from './issues.ts'

/** Languages that XLSForms commonly name without a code. Their names come from Unicode CLDR. */
const CODES =
  'af am ar az be bg bn bs ca cs cy da de dz el en es et eu fa fi fil fr ga gl gu ha he hi hr ht hu hy id ig is it ja ka kk km kn ko ku ky lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru rw sd si sk sl so sq sr sv sw ta te tg th ti tk tl tr uk ur uz vi xh yo zh zu'.split(
    ' ',
  )

let codeByName: ReadonlyMap<string, string> | undefined

/** Returns the codes of languages by their English names and their own names, in lower case. */
function codesByName(): ReadonlyMap<string, string> {
  codeByName ??= new Map(
    CODES.flatMap((code) =>
      ['en', code].map((display) => {
        const name = new Intl.DisplayNames([display], { type: 'language' }).of(code) ?? code
        return [name.toLowerCase(), code] as const
      }),
    ),
  )
  return codeByName
}

/** Returns a code for an unknown language. ISO 639 reserves the codes qaa to qtz for private use. */
const privateCode = (count: number): string => `q${String.fromCharCode(97 + Math.floor(count / 26), 97 + (count % 26))}`

const MAX_PRIVATE_CODES = 20 * 26

/** The languages of a form in the order in which they occur. */
export class Languages {
  readonly #issues: Issues
  readonly #codes = new Map<string, string>()
  readonly #names = new Map<string, string>()
  #unknown = 0

  constructor(issues: Issues) {
    this.#issues = issues
  }

  /** Returns the code of a language from its name in a heading: `fr` for `French (fr)`, `Français` and `fr`. */
  codeOf(written: string, cell: CellReference): string {
    const known = this.#codes.get(written.toLowerCase())
    if (known) return known
    const [, name = written, bracketed] = /^(.*?)\s*\(([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)\)$/.exec(written) ?? []
    const code =
      (bracketed && this.#bracketedCode(name.trim(), bracketed)) ??
      this.#codeByName(written) ??
      this.#invent(written, cell)
    this.#codes.set(written.toLowerCase(), code)
    if (!this.#names.has(code)) this.#names.set(code, name.trim() || code)
    return code
  }

  /** A region can stand in place of the language: `Portuguese (BR)` is `pt-BR`, and `Français (FR)` is `fr`. */
  #bracketedCode(name: string, bracketed: string): string {
    if (!/^[A-Z]{2}$/.test(bracketed)) return bracketed
    const ofName = codesByName().get(name.toLowerCase())
    const region = bracketed === 'UK' ? 'GB' : bracketed
    if (ofName === undefined || ofName === region.toLowerCase()) return region.toLowerCase()
    return `${ofName}-${region}`
  }

  #codeByName(written: string): string | undefined {
    return /^[a-z]{2}(?:[-_][A-Za-z]{2,4})?$/i.test(written) ? written : codesByName().get(written.toLowerCase())
  }

  #invent(written: string, cell: CellReference): string {
    const code = privateCode(Math.min(this.#unknown++, MAX_PRIVATE_CODES - 1))
    this.#issues.add(
      'language_unknown',
      cell,
      `“${written.slice(0, 60)}” has no language code. The survey uses the code ${code}. Write the heading with a code, such as “label::English (en)”.`,
      written,
    )
    return code
  }

  /** Returns the languages for a structure. `isDefault` is true only for the default language. */
  list(defaultCode: string): { code: string; name: string; isDefault: boolean }[] {
    const codes = new Set([defaultCode, ...this.#names.keys()])
    return [...codes].map((code) => ({
      code,
      name: this.#names.get(code) ?? code,
      isDefault: code === defaultCode,
    }))
  }

  /** Returns the codes of the languages that have occurred so far. */
  get codes(): string[] {
    return [...this.#names.keys()]
  }
}
