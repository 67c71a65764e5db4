// Exports the texts of a language for translators as a PO file of gettext, or imports such a file:
//   make texts LANG=de              writes build/texts/de.po
//   make texts LANG=de FILE=de.po   reads de.po and writes src/texts/de/
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Catalogue, type Entry, po } from 'gettext-parser'
import { keyOf, placeholderFault, placeholders, TextFolder, type Unit } from './catalogue.ts'

/** Returns the texts of a language as a PO file. The context of each text is its file, its name and its plural form. */
export function exportTexts(folder: TextFolder, language: string): Buffer {
  const translations: Catalogue['translations'] = {}
  for (const unit of folder.units(language)) {
    const { source, translation, note, references } = unit
    const kept = [...new Set(placeholders(unit.placeholdersOf))].join(' ')
    const extracted = [note, kept && `Keep: ${kept}`].filter(Boolean).join('\n')
    const reference = references.join('\n')
    const comments = { ...(extracted && { extracted }), ...(reference && { reference }) }
    const context = keyOf(unit)
    translations[context] = { [source]: { msgctxt: context, msgid: source, msgstr: [translation], comments } }
  }
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
    'MIME-Version': '1.0',
    Language: language,
    'X-Language-Name': nameOf(folder, language),
  }
  return Buffer.from(`${po.compile({ charset: 'utf-8', headers, translations })}\n`)
}

/** What an import did, in numbers of texts. */
export interface Imported {
  translated: number
  untranslated: number
  /** Translations that somebody has to check, because the translator marked them or the English text has changed. */
  fuzzy: number
  /** Entries of the file that no page uses any more. */
  unused: number
}

/**
 * Imports a PO file into the folder of a language. Texts that the file does not translate, or that are fuzzy, stay as
 * they are.
 * @throws Error that names each translation with wrong placeholders; nothing is written
 */
export function importTexts(folder: TextFolder, language: string, file: string): Imported {
  const { headers, translations } = po.parse(readFileSync(file))
  const declared = headers.Language?.replace('_', '-')
  if (declared && declared !== language) throw new Error(`${file}: the language is ${declared}, not ${language}`)
  const entries = new Map<string, Entry>()
  for (const [context, byText] of Object.entries(translations))
    for (const entry of Object.values(byText)) if (context !== '') entries.set(context, entry)
  const [counts, faults] = [{ translated: 0, untranslated: 0, fuzzy: 0 }, [] as string[]]
  const units: Unit[] = folder.units(language).map((unit) => {
    const entry = entries.get(keyOf(unit))
    entries.delete(keyOf(unit))
    const translation = entry?.msgstr[0] ?? ''
    if (translation === '') counts.untranslated += 1
    else if (entry?.comments?.flag?.includes('fuzzy') || entry?.msgid !== unit.source) counts.fuzzy += 1
    else {
      counts.translated += 1
      const read = { ...unit, translation }
      const fault = placeholderFault(read)
      if (fault) faults.push(`${file}: ${keyOf(unit)}: ${fault}`)
      return read
    }
    return unit
  })
  if (faults.length > 0) throw new Error(`Nothing was imported.\n${faults.join('\n')}`)
  folder.write(language, units, headers['X-Language-Name'] || nameOf(folder, language))
  return { ...counts, unused: entries.size }
}

/** Returns the name of a language in the language itself. */
const nameOf = ({ names }: TextFolder, language: string): string =>
  names[language] ?? new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language

function main(language: string | undefined, file: string | undefined): void {
  if (!/^[a-z]{2,3}$/.test(language ?? '') || language === 'en')
    throw new Error('Name a language by its code: make texts LANG=de')
  const folder = new TextFolder('src/texts')
  if (file) {
    const { translated, untranslated, fuzzy, unused } = importTexts(folder, language!, file)
    console.log(`texts: ${translated} translated, ${untranslated} untranslated, ${fuzzy} fuzzy, ${unused} unused`)
    const missing = new TextFolder('src/texts').faults(language!)
    for (const fault of missing) console.log(fault)
    return
  }
  const target = `build/texts/${language}.po`
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, exportTexts(folder, language!))
  console.log(`texts: ${target}`)
}

if (process.argv[1] === import.meta.filename) {
  try {
    main(process.argv[2], process.argv[3])
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
