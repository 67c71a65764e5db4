import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { po } from 'gettext-parser'
import { TextFolder } from '../../tools/texts/catalogue.ts'
import { exportTexts, importTexts } from '../../tools/texts/texts.ts'

/** A copy of the service, so that its languages can change. Packages are found in the project above it. */
let copy: string
let root: string
beforeAll(() => {
  mkdirSync('build', { recursive: true })
  copy = mkdtempSync(path.resolve('build/texts-'))
  cpSync('src', path.join(copy, 'src'), { recursive: true })
  writeFileSync(path.join(copy, 'package.json'), '{"type":"module"}')
  root = path.join(copy, 'src/texts')
})
afterAll(() => rmSync(copy, { recursive: true }))

type Entry = ReturnType<typeof po.parse>['translations'][string][string]

/** Exports the texts of a language, and changes each entry as a translator does. */
function translated(language: string, change: (entry: Entry, context: string) => void = () => {}): string {
  const catalogue = po.parse(exportTexts(new TextFolder(root), language))
  for (const [context, byText] of Object.entries(catalogue.translations))
    for (const entry of Object.values(byText)) if (context !== '') change(entry, context)
  const file = path.join(copy, `${language}.po`)
  writeFileSync(file, po.compile(catalogue))
  return file
}

const contents = (language: string) =>
  Object.fromEntries(
    [...new TextFolder(root).filesOf(language)]
      .sort()
      .map((file) => [file, readFileSync(path.join(root, language, file), 'utf8')]),
  )

describe('make texts', () => {
  it.each(['ar', 'de', 'fr', 'ja', 'pl'])('changes nothing if the exported file of %s is imported', (language) => {
    const before = contents(language)
    const { untranslated, fuzzy, unused } = importTexts(new TextFolder(root), language, translated(language))
    expect({ after: contents(language), fuzzy, unused }).toEqual({ after: before, fuzzy: 0, unused: 0 })
    if (language === 'de') expect(untranslated).toBe(0)
  })

  it('tells translators where a text appears, and for which numbers a plural form is', () => {
    const { translations } = po.parse(exportTexts(new TextFolder(root), 'ar'))
    const entry = (context: string) => Object.values(translations[context]!)[0]!
    expect(entry('respondent.json: closedSince').comments?.extracted).toBe('Added when a response exists.')
    expect(entry('respondent.json: errors.too_long [two]')).toMatchObject({
      msgid: 'Enter no more than {max} characters.',
      comments: { extracted: 'Plural form for: 2.\nKeep: {max}' },
    })
    const page = Object.values(translations)
      .flatMap((byText) => Object.values(byText))
      .find(({ msgid }) => msgid === 'Sign out')!
    expect(page.comments?.reference).toMatch(/^src\/web\//)
  })

  it('adds a language of which translators have translated everything, to the pages of respondents and owners', async () => {
    const file = translated('xx', (entry, context) => {
      // Some English errors are composed in the code, so that only the comment has their placeholders.
      const kept = /Keep: (.*)/.exec(entry.comments?.extracted ?? '')?.[1]
      entry.msgstr = [context.startsWith('errors.json') && kept ? kept : `xx ${entry.msgid}`]
    })
    expect(importTexts(new TextFolder(root), 'xx', file)).toMatchObject({ untranslated: 0, fuzzy: 0, unused: 0 })
    expect(new TextFolder(root).faults('xx')).toEqual([])
    expect(new TextFolder(root).faults('de')).toEqual([])
    const load = (module: string) => import(path.join(copy, 'src', module))
    const { textsFor } = await load('domain/text/catalog.ts')
    expect(textsFor('xx').texts.next).toBe('xx Next')
    const { printIn } = await load('web/i18n/page-locale.ts')
    const { html } = await load('lib/html.ts')
    expect(printIn('xx', html`<button>Sign out</button>`)).toBe('<button>xx Sign out</button>')
    const { galleryTemplates } = await load('domain/survey/gallery/gallery.ts')
    expect(galleryTemplates().templates[0].languages).toContain('xx')
  })

  it('refuses a file with a wrong placeholder, names the text, and writes nothing', () => {
    const before = contents('fr')
    const file = translated('fr', (entry, context) => {
      if (context === 'respondent.json: progress') entry.msgstr = ['Page {n} de {total}']
      if (context === 'privacy.json: signIn') entry.msgstr = ['Connectez-vous.']
      if (context === 'respondent.json: next') entry.msgstr = ['Continuer']
    })
    expect(() => importTexts(new TextFolder(root), 'fr', file)).toThrow(
      `${file}: respondent.json: progress: has the unknown placeholder {total}\n${file}: privacy.json: signIn: lacks the placeholder {host}`,
    )
    expect(contents('fr')).toEqual(before)
  })

  it('counts texts that are not translated, are marked as fuzzy, or have another English text, and keeps the old ones', () => {
    const before = JSON.parse(contents('fr')['respondent.json']!)
    const file = translated('fr', (entry, context) => {
      if (context === 'respondent.json: next') entry.msgstr = ['']
      if (context === 'respondent.json: back')
        Object.assign(entry, { msgstr: ['Arrière'], comments: { flag: 'fuzzy' } })
      if (context === 'respondent.json: submit') Object.assign(entry, { msgid: 'Send', msgstr: ['Expédier'] })
      if (context === 'respondent.json: pages') entry.msgstr = ['Les pages']
    })
    const all = po.parse(exportTexts(new TextFolder(root), 'fr')).translations
    const empty = Object.values(all).filter((byText) => Object.values(byText)[0]!.msgstr[0] === '').length
    const counts = importTexts(new TextFolder(root), 'fr', file)
    expect(counts).toMatchObject({ untranslated: empty + 1, fuzzy: 2, unused: 0 })
    expect(JSON.parse(contents('fr')['respondent.json']!)).toEqual({ ...before, pages: 'Les pages' })
  })

  it('names the texts that a language lacks', () => {
    const file = path.join(root, 'it/respondent.json')
    const { next, ...others } = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...others, nextt: next }))
    expect(new TextFolder(root).faults('it')).toEqual([
      'src/texts/it/respondent.json: next: has no translation',
      'src/texts/it/respondent.json: nextt: is not used',
    ])
  })

  it('names a text that two files of the pages translate differently', () => {
    for (const [name, translation] of [
      ['layout', 'Suivant'],
      ['forms', 'Ensuite'],
    ]) {
      const file = path.join(root, `de/pages/${name}.json`)
      const texts = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, JSON.stringify({ ...texts, Next: translation }))
    }
    expect(new TextFolder(root).faults('de')).toEqual([
      'src/texts/de/pages/layout.json: Next: has another translation in pages/forms.json',
    ])
  })

  it('refuses the file of another language', () => {
    expect(() => importTexts(new TextFolder(root), 'fr', translated('es'))).toThrow('the language is es, not fr')
  })
})
