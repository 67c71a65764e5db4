/** The functions of gettext-parser, which has no types of its own, that the tool uses. */
declare module 'gettext-parser' {
  export interface Entry {
    msgctxt?: string
    msgid: string
    msgstr: string[]
    comments?: { translator?: string; reference?: string; extracted?: string; flag?: string }
  }
  export interface Catalogue {
    charset: string
    headers: Record<string, string>
    /** The entries by context and English text. */
    translations: Record<string, Record<string, Entry>>
  }
  export const po: {
    parse(input: Buffer | string): Catalogue
    compile(catalogue: Catalogue): Buffer
  }
}
