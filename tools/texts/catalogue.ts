import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { errorDetailTexts } from '../../src/domain/error-details.ts'
import { fieldErrorCodes } from '../../src/domain/field-error.ts'
import { noteCodes } from '../../src/domain/moving/notes.ts'
import { problemCodes } from '../../src/domain/problem-codes.ts'
import { issueCodes } from '../../src/domain/structure/xlsform/issues.ts'
import { galleryTexts } from '../../src/domain/survey/gallery/gallery.ts'
import { syntaxErrorTexts } from '../../src/lib/json.ts'
import type { PluralForms } from '../../src/lib/texts.ts'
import { collectPageTexts, type PageTexts } from './collect.ts'

/** A text to translate. A text with plural forms is a unit for each form. */
export interface Unit {
  /** The file in the folder of a language, and the member of the file. */
  file: string
  path: readonly string[]
  /** The plural category of the form. */
  form?: string
  /** The placeholder whose number selects the form; undefined: the noun follows the number. */
  by?: string | undefined
  /** The English text. */
  source: string
  /** The translation; empty if there is none. */
  translation: string
  /** The text whose placeholders the translation must have. */
  placeholdersOf: string
  /** Where the text appears, for translators. */
  note: string
  /** The source files that use the text. */
  references: readonly string[]
}

type Json = { [name: string]: Json } | string
type Tree = { [name: string]: Json }

/** The files that every language has, and the files of the languages of owner pages. */
const RESPONDENT_FILES = ['respondent.json', 'privacy.json', 'invitations.json']
const NAMED_OWNER_FILES = ['emails.json', 'notifications.json']

/** Returns a name for a unit that no other unit of the language has. */
export const keyOf = ({ file, path, form }: Pick<Unit, 'file' | 'path' | 'form'>): string =>
  `${file}: ${path.join('.')}${form ? ` [${form}]` : ''}`

const read = (file: string): Tree => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Tree) : {})

const isPlural = (value: Json | undefined): value is PluralForms & { by: string } =>
  typeof value === 'object' && 'by' in value

const at = (tree: Json | undefined, names: readonly string[]): Json | undefined =>
  names.reduce<Json | undefined>((value, name) => (typeof value === 'object' ? value[name] : undefined), tree)

/** Returns the paths of the texts in a file of named texts. */
const pathsIn = (value: Json, names: readonly string[] = []): string[][] =>
  typeof value === 'string' || isPlural(value)
    ? [[...names]]
    : Object.entries(value).flatMap(([name, part]) => pathsIn(part, [...names, name]))

/** Returns the plural categories of whole numbers in a language, and `other`. */
function categoriesOf(language: string): string[] {
  const rules = new Intl.PluralRules(language)
  const used = new Set(Array.from({ length: 201 }, (_, number) => rules.select(number) as string))
  return rules.resolvedOptions().pluralCategories.filter((category) => used.has(category) || category === 'other')
}

/** Returns examples of the numbers of a plural category. */
function examplesOf(language: string, category: string): string {
  const rules = new Intl.PluralRules(language)
  const numbers = [...Array(201).keys()].filter((number) => rules.select(number) === category)
  return numbers.length === 0 ? 'fractions' : `${numbers.slice(0, 4).join(', ')}${numbers.length > 4 ? ', …' : ''}`
}

let collected: PageTexts | undefined

/** Returns the English texts of the pages. The source files are read once. */
function pageTexts(): PageTexts {
  collected ??= collectPageTexts()
  return collected
}

/** The texts in a folder with a subfolder for each language, such as `src/texts`. */
export class TextFolder {
  readonly root: string
  readonly names: Record<string, string>
  readonly #notes: Tree
  readonly #files = new Map<string, Tree>()

  constructor(root: string) {
    this.root = root
    this.names = read(path.join(root, 'languages.json')) as Record<string, string>
    this.#notes = read(path.join(root, 'notes.json'))
  }

  #file(language: string, name: string): Tree {
    const file = path.join(this.root, language, name)
    if (!this.#files.has(file)) this.#files.set(file, read(file))
    return this.#files.get(file)!
  }

  /** Returns whether the pages of owners are available in a language, or shall be. */
  hasPages(language: string): boolean {
    const folder = path.join(this.root, language)
    return language !== 'en' && ['errors.json', 'pages'].some((name) => existsSync(path.join(folder, name)))
  }

  /** Returns all texts that can be translated into a language. */
  units(language: string): Unit[] {
    return [
      ...[...RESPONDENT_FILES, ...NAMED_OWNER_FILES].flatMap((file) => this.#namedUnits(language, file)),
      ...this.#errorUnits(language),
      ...this.#pageUnits(language),
      ...[...galleryTexts()].map(([text, templates]) =>
        this.#unit(language, 'gallery.json', [text], text, `Templates: ${[...templates].join(', ')}`),
      ),
    ]
  }

  #unit(
    language: string,
    file: string,
    names: readonly string[],
    source: string,
    note = '',
    references: Iterable<string> = [],
    placeholdersOf = source,
  ): Unit {
    const translation = at(this.#file(language, file), names)
    return {
      ...{ file, path: names, source, note, placeholdersOf, references: [...references] },
      translation: typeof translation === 'string' ? translation : '',
    }
  }

  /** Returns a unit for each form that the language has. */
  #pluralUnits(language: string, unit: Unit, by: string | undefined, english: PluralForms | undefined): Unit[] {
    const value = at(this.#file(language, unit.file), unit.path)
    const forms = typeof value === 'object' ? (value as Record<string, string>) : undefined
    return categoriesOf(language).map((form) => ({
      ...unit,
      ...{ form, by },
      source: english?.[form as 'one'] ?? english?.other ?? unit.source,
      placeholdersOf: english?.other ?? unit.source,
      translation: forms ? (forms[form] ?? '') : unit.translation,
      note: [unit.note, `Plural form for: ${examplesOf(language, form)}.`].filter(Boolean).join(' '),
    }))
  }

  /** Returns the units of a file of which the English texts are in `en/`, by name. */
  #namedUnits(language: string, file: string): Unit[] {
    const english = this.#file('en', file)
    const notes = this.#notes[file.replace('.json', '')]
    return pathsIn(english).flatMap((names) => {
      const source = at(english, names)!
      const forms = isPlural(source) ? source : undefined
      const note = at(notes, names.slice(0, 1))
      const text = forms ? forms.other : (source as string)
      const unit = this.#unit(language, file, names, text, typeof note === 'string' ? note : '')
      // Some languages inflect a text that English does not.
      const plural = Object.keys(this.names)
        .map((code) => at(this.#file(code, file), names))
        .find(isPlural)
      return plural ? this.#pluralUnits(language, unit, plural.by, forms) : [unit]
    })
  }

  /** Returns the units of errors, by code. The English texts are in the source code. */
  #errorUnits(language: string): Unit[] {
    const english: Record<string, Readonly<Record<string, string>>> = {
      errors: Object.fromEntries(Object.entries(fieldErrorCodes).map(([code, { text }]) => [code, text])),
      details: errorDetailTexts,
      syntax: syntaxErrorTexts,
      problems: Object.fromEntries(Object.entries(problemCodes).map(([code, [, description]]) => [code, description])),
      issues: issueCodes,
      moves: noteCodes,
    }
    const reference = Object.keys(this.names).find((code) => this.hasPages(code))!
    const written = this.#file(reference, 'errors.json')
    const groups = Object.keys(written)
    return groups.flatMap((group) =>
      [...new Set([...Object.keys(english[group] ?? {}), ...pathsIn(written[group]!).map(([code]) => code!)])].map(
        (code) => {
          const own = english[group]?.[code]
          const translated = at(written, [group, code])
          // Some English texts are composed in the code. Translators see the code and another language.
          const other = typeof translated === 'string' ? translated : ''
          const note = [at(this.#notes.errors, [group]), own === undefined && `${this.names[reference]}: ${other}`]
          return this.#unit(
            ...([language, 'errors.json', [group, code], own ?? code, note.filter(Boolean).join(' '), []] as const),
            own === undefined || group === 'problems' ? other : own,
          )
        },
      ),
    )
  }

  /** Returns the units of the pages of owners, by their English texts. */
  #pageUnits(language: string): Unit[] {
    const { texts, plurals, scripts } = pageTexts()
    const places = this.#places()
    return [
      ...[...texts].flatMap(([text, files]) =>
        (places.get(text) ?? [`pages/${areaOf(files)}.json`]).map((file) =>
          this.#unit(language, file, [text], text, '', files),
        ),
      ),
      ...[...scripts].map(([text, files]) => this.#unit(language, 'scripts.json', [text], text, '', files)),
      ...[...plurals].flatMap(([noun, files]) => {
        const unit = this.#unit(language, 'plurals.json', [noun], noun, 'A noun after a number.', files)
        return this.#pluralUnits(language, unit, undefined, undefined)
      }),
    ]
  }

  /** Returns the files that contain each text of the pages, in the languages that have it. */
  #places(): Map<string, string[]> {
    const places = new Map<string, string[]>()
    for (const language of Object.keys(this.names)) {
      const folder = path.join(this.root, language, 'pages')
      if (!existsSync(folder)) continue
      for (const name of readdirSync(folder))
        for (const text of Object.keys(this.#file(language, `pages/${name}`))) {
          const files = places.get(text) ?? []
          if (!files.includes(`pages/${name}`)) places.set(text, [...files, `pages/${name}`])
        }
    }
    return places
  }

  /**
   * Returns what is wrong with the texts of a language: each text that is missing, that is not used, that has other
   * placeholders than the English text, or that has a second translation.
   */
  faults(language: string): string[] {
    const units = this.units(language)
    const isRequired = ({ file }: Unit) =>
      RESPONDENT_FILES.includes(file) || (file !== 'gallery.json' && this.hasPages(language))
    const first = new Map<string, Unit>()
    const wrong = units.flatMap((unit) => {
      const { file, source, translation } = unit
      const other = file.startsWith('pages/') ? first.get(source) : undefined
      if (other && other.translation !== translation)
        return [`src/texts/${language}/${keyOf(unit)}: has another translation in ${other.file}`]
      if (file.startsWith('pages/')) first.set(source, unit)
      const fault = unit.translation === '' ? isRequired(unit) && 'has no translation' : placeholderFault(unit)
      return fault ? [`src/texts/${language}/${keyOf(unit)}: ${fault}`] : []
    })
    const used = new Set(units.map(({ file, path }) => `${file}: ${path.join('.')}`))
    const written = this.filesOf(language).flatMap((file) =>
      pathsOf(file, this.#file(language, file)).map((names) => `${file}: ${names.join('.')}`),
    )
    return [
      ...wrong,
      ...written.filter((key) => !used.has(key)).map((key) => `src/texts/${language}/${key}: is not used`),
    ]
  }

  /** Returns the files of a language. */
  filesOf(language: string): string[] {
    return readdirSync(path.join(this.root, language), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    )
  }

  /** Writes translations into the files of a language, and adds the language to the list. */
  write(language: string, units: readonly Unit[], name: string): void {
    const trees = new Map<string, Tree>()
    for (const unit of units) {
      if (unit.translation === '') continue
      const tree = trees.get(unit.file) ?? {}
      trees.set(unit.file, tree)
      const names = unit.form === undefined ? unit.path : [...unit.path, unit.form]
      const parent = names.slice(0, -1).reduce((parent, name, depth) => {
        const isForms = unit.form !== undefined && depth === names.length - 2
        parent[name] ??= isForms && unit.by !== undefined ? { by: unit.by } : {}
        return parent[name] as Tree
      }, tree)
      parent[names.at(-1)!] = unit.translation
    }
    for (const [file, tree] of trees) {
      const target = path.join(this.root, language, file)
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, `${JSON.stringify(inOrderOf(withoutEqualForms(tree), read(target)), null, 2)}\n`)
    }
    this.#files.clear()
    if (language in this.names) return
    this.names[language] = name
    writeFileSync(path.join(this.root, 'languages.json'), `${JSON.stringify(this.names, null, 2)}\n`)
  }
}

const pathsOf = (file: string, tree: Tree): string[][] =>
  file === 'plurals.json' ? Object.keys(tree).map((noun) => [noun]) : pathsIn(tree)

/** Returns the name of the file of a text that is new: that of the folder of its page, or `common`. */
function areaOf(files: Iterable<string>): string {
  const areas = new Set(
    [...files].map((file) => {
      const [, , face, area] = file.split('/')
      return face === 'app' && area ? area.replace(/\.ts$/, '') : (face ?? 'domain').replace(/\.ts$/, '')
    }),
  )
  return areas.size === 1 ? [...areas][0]! : 'common'
}

/** Replaces plural forms that are all equal with one text, because the language does not inflect the text. */
function withoutEqualForms(tree: Tree): Tree {
  const simplify = (value: Json): Json => {
    if (typeof value === 'string') return value
    if (!isPlural(value)) return withoutEqualForms(value)
    const { by: _, ...forms } = value
    const different = new Set(Object.values(forms))
    return different.size === 1 ? [...different][0]! : value
  }
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, simplify(value)]))
}

/** Returns an object with its members in the order of another object. Further members follow. */
function inOrderOf(tree: Tree, model: Tree): Tree {
  const names = [...Object.keys(model).filter((name) => name in tree), ...Object.keys(tree)]
  return Object.fromEntries(
    [...new Set(names)].map((name) => {
      const [value, old] = [tree[name]!, model[name]]
      return [name, typeof value === 'object' && typeof old === 'object' ? inOrderOf(value, old) : value]
    }),
  )
}

/** Returns the placeholders and tags of a text. */
export const placeholders = (text: string): string[] => (text.match(/\{\w+\}|<\/?\d+>|\[[A-Z][\w ]*\]/g) ?? []).sort()

/** Returns how the placeholders of a translation differ from those of the English text; undefined if they do not. */
export function placeholderFault({ translation, placeholdersOf, form, by }: Unit): string | undefined {
  const [expected, found] = [placeholders(placeholdersOf), placeholders(translation)]
  const unknown = found.filter((one) => !expected.includes(one))
  if (unknown.length > 0) return `has the unknown placeholder ${unknown[0]}`
  // A form for a single number, such as the Arabic dual, can write the number as a word.
  const optional = form !== undefined && form !== 'other' ? `{${by}}` : undefined
  const missing = expected.filter((one) => !found.includes(one) && one !== optional)
  if (missing.length > 0) return `lacks the placeholder ${missing[0]}`
  const tags = (all: readonly string[]) => all.filter((one) => one.startsWith('<')).join()
  if (tags(expected) !== tags(found)) return 'has other tags than the English text'
  return undefined
}
