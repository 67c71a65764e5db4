import { describe, expect, it } from '@jest/globals'
import { errorDetailTexts } from '../../src/domain/error-details.ts'
import { fieldErrorCodes } from '../../src/domain/field-error.ts'
import { problemCodes } from '../../src/domain/problem-codes.ts'
import { issueCodes } from '../../src/domain/structure/xlsform/issues.ts'
import { type SystemEmailName, systemEmailLanguages } from '../../src/domain/system-email.ts'
import { syntaxErrorTexts } from '../../src/lib/json.ts'
import { catalogs } from '../../src/web/i18n/catalog.ts'
import { findSegments, sourceOf, translateTemplate } from '../../src/web/i18n/rewrite-template.ts'
import { collectPageTexts, findUntranslatable } from './collect-page-texts.ts'

const { texts, plurals, scripts } = collectPageTexts()

/** Returns the placeholders of a text in alphabetical order. */
const placeholders = (text: string): string[] => (text.match(/\{\w+\}|<\/?\d+>/g) ?? []).sort()

describe.each(Object.entries(catalogs))('texts of the pages of owners in %s', (language, catalog) => {
  it('has a translation of every text, and no other texts', () => {
    expect([...catalog.texts.keys()].sort()).toEqual([...texts.keys()].sort())
    expect([...catalog.plurals.keys()].sort()).toEqual([...plurals.keys()].sort())
    expect(Object.keys(catalog.scripts).sort()).toEqual([...scripts.keys()].sort())
  })

  it('repeats the placeholders of every text', () => {
    const all = [...catalog.texts, ...Object.entries(catalog.scripts)]
    expect(all.filter(([text, translation]) => placeholders(text).join() !== placeholders(translation).join())).toEqual(
      [],
    )
  })

  it('has a text for every error code, with the same placeholders', () => {
    const english = {
      errors: Object.entries(fieldErrorCodes).map(([code, { text }]) => [code, text] as const),
      details: Object.entries(errorDetailTexts),
      syntax: Object.entries(syntaxErrorTexts),
    }
    for (const [kind, codes] of Object.entries(english)) {
      const translations: Readonly<Record<string, string>> = catalog[kind as keyof typeof english]
      expect(Object.keys(translations).sort()).toEqual(codes.map(([code]) => code).sort())
      const different = codes.filter(
        ([code, text]) => placeholders(text).join() !== placeholders(translations[code]!).join(),
      )
      expect({ kind, different }).toEqual({ kind, different: [] })
    }
    expect(Object.keys(catalog.problems).sort()).toEqual(Object.keys(problemCodes).sort())
    expect(Object.keys(catalog.issues).sort()).toEqual(Object.keys(issueCodes).sort())
  })

  it('has a translation of every email to owners, with the same placeholders', () => {
    const { en, [language]: translated } = systemEmailLanguages
    expect(Object.keys(translated!)).toEqual(Object.keys(en!))
    for (const [name, { text }] of Object.entries(translated!))
      expect(placeholders(text)).toEqual(placeholders(en![name as SystemEmailName].text))
  })

  it('has every plural form of the language', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    for (const forms of catalog.plurals.values())
      expect(Object.keys(forms).sort()).toEqual([...pluralCategories].sort())
  })
})

describe('sources of the pages of owners', () => {
  it('contain no sentence outside templates and calls of the function `t`', () => {
    expect(findUntranslatable()).toEqual([])
  })
})

describe('segments of a template', () => {
  const of = (strings: TemplateStringsArray, ..._values: unknown[]) => strings
  const segments = (strings: TemplateStringsArray) => findSegments(sourceOf(strings)).map(({ text }) => text)

  it('keep inline elements within a sentence', () => {
    expect(segments(of`<p>Use <a href="${1}">an API key</a>. You have ${2} keys.</p>`)).toEqual([
      'Use <0>an API key</0>. You have {0} keys.',
    ])
  })

  it('end at block elements, and between elements that have no text between them', () => {
    expect(segments(of`<h2>Details</h2><p><a href="/a/">Edit</a> <a href="/b/">${1}Delete</a></p>`)).toEqual([
      'Details',
      'Edit',
      'Delete',
    ])
  })

  it('include attributes that users read, and no other attributes', () => {
    expect(segments(of`<button class="Small" aria-label="Remove ${1}" title="Remove">${2}</button>`)).toEqual([
      'Remove {0}',
      'Remove',
    ])
    expect(segments(of` class="Card" required`)).toEqual([])
  })
})

describe('translation of a template', () => {
  const translations = new Map([
    ['Sign out {0}, {1}', '{1}: {0} abmelden'],
    ['Use <0>a key</0> for {0}', 'Für {0} nehmen Sie <0>einen Schlüssel</0>'],
  ])
  const translate = (strings: TemplateStringsArray, ..._values: unknown[]) =>
    translateTemplate(strings, (text) => translations.get(text))

  it('moves values and elements to their places in the translation', () => {
    const { strings, order } = translate`<p class="x">Use <a href="${'address'}">a key</a> for ${'name'}</p>`!
    expect([...strings]).toEqual(['<p class="x">Für ', ' nehmen Sie <a href="', '">einen Schlüssel</a></p>'])
    expect(order).toEqual([1, 0])
  })

  it('translates attributes', () => {
    const { strings, order } = translate`<button aria-label="Sign out ${'browser'}, ${'address'}"></button>`!
    expect([...strings]).toEqual(['<button aria-label="', ': ', ' abmelden"></button>'])
    expect(order).toEqual([1, 0])
  })

  it('leaves a template without a translation as it is', () => {
    expect(translate`<p>Another text</p>`).toBeUndefined()
  })
})
